// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxMachine.h"

#include "test/support/ptx/PtxWarp.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace windlass::ptx {
namespace {

/// Chooses the order of work that no rule orders.
class Schedule {
public:
  explicit Schedule(uint64_t seed) : seed(seed), random(seed) {}

  bool isDrawn() const { return seed > 1; }
  std::vector<uint32_t> blocks(uint32_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (seed == 1)
      std::ranges::reverse(order);
    else if (isDrawn())
      std::ranges::shuffle(order, random);
    return order;
  }
  /// Chooses one of `count` entries in ascending order.
  size_t choose(size_t count) { return seed == 0 ? 0 : seed == 1 ? count - 1 : random() % count; }
  /// The number of instructions that a warp runs before another may go on.
  uint64_t turn() { return isDrawn() ? 1 + random() % 64 : UINT64_MAX; }

private:
  uint64_t seed;
  std::mt19937_64 random;
};

/// The bytes of the smallest access of a kernel.
uint32_t granuleOf(const Kernel &kernel) {
  uint32_t granule = 16;
  for (const Instruction &instruction : kernel.body)
    if (instruction.kind == Kind::Load || instruction.kind == Kind::Store)
      granule = std::min<uint32_t>(granule, infoOf(instruction.opcode).bytes);
  return granule;
}

/// Copies so few bytes that a call of memcpy takes longer than the copy.
void copyElement(void *to, const void *from, unsigned bytes) {
  switch (bytes) {
  case 1:
    return void(std::memcpy(to, from, 1));
  case 2:
    return void(std::memcpy(to, from, 2));
  case 4:
    return void(std::memcpy(to, from, 4));
  default:
    return void(std::memcpy(to, from, 8));
  }
}

/// The value of an element in a register of `bits` bits.
uint64_t widened(const uint8_t *element, const OpcodeInfo &info, unsigned bits) {
  uint64_t value = 0;
  copyElement(&value, element, info.bytes);
  const unsigned unused = 64 - 8 * info.bytes;
  if (info.isSigned)
    value = static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// Whether none of these bytes is 0. Their number is a power of two. Every access asks, so that this must be
/// fast.
bool isWritten(const uint8_t *bytes, uint32_t size) {
  if (size < 8)
    return std::all_of(bytes, bytes + size, [](uint8_t written) { return written != 0; });
  for (uint32_t at = 0; at < size; at += 8) {
    constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
    uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    if (((word - kOnes) & ~word & kHighest) != 0) // true only if a byte is 0
      return false;
  }
  return true;
}

std::string bytesText(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

/// The function of an instruction that computes.
struct Computing {
  Compute function = nullptr;
  bool dividesIntegers = false;
};

class Machine {
public:
  Machine(const Launch &launch, const Memory &memory)
      : request(launch), kernel(*launch.kernel), memory(memory), schedule(launch.seed),
        global(granuleOf(kernel)), shared(granuleOf(kernel)) {
    for (const Instruction &instruction : kernel.body)
      computes.push_back(instruction.kind == Kind::Compute
                             ? Computing{computeOf(instruction.opcode), dividesIntegers(instruction.opcode)}
                             : Computing());
    sharedMemory = {"shared memory", 0, kernel.sharedBytes, nullptr, nullptr};
    for (uint32_t number = 0; number < (kernel.threads + kLanes - 1) / kLanes; ++number)
      warps.emplace_back(kernel, number, launch.blocks, launch.variables);
  }

  Status run() {
    for (uint32_t number : schedule.blocks(request.blocks))
      if (!runBlock(number))
        return Status::runFailed(fault);
    return Status::ok();
  }

  std::vector<Touched> touched() const { return global.touched(); }

private:
  // Faults.
  bool fail(const std::string &why) {
    fault = why + ", in kernel '" + kernel.name + "', block " + std::to_string(block);
    return false;
  }
  bool fail(const Instruction &at, uint32_t lane, const std::string &why) {
    return fail(why + " by thread " + std::to_string(warp->number * kLanes + lane) + " at line " +
                std::to_string(at.line) + ", '" + std::string(infoOf(at.opcode).text) + "'");
  }

  // A block.
  bool runBlock(uint32_t number) {
    block = number;
    ++barriers; // each block has its own shared memory, so that earlier accesses do not count
    sharedData.assign(kernel.sharedBytes, Allocations::kUnwritten),
        sharedWritten.assign(kernel.sharedBytes, 0);
    sharedMemory.data = sharedData.data(), sharedMemory.written = sharedWritten.data();
    for (Warp &one : warps)
      one.begin(block);
    while (true) {
      ready.clear();
      for (Warp &one : warps)
        if (std::ranges::any_of(one.groups, [](const Group &g) { return g.state == Group::State::Runs; }))
          ready.push_back(&one);
      if (!ready.empty()) {
        warp = ready[schedule.choose(ready.size())];
        if (!runWarp(schedule.turn()))
          return false;
      } else if (std::ranges::all_of(warps, [](const Warp &one) { return one.groups.empty(); })) {
        return true;
      } else if (!passBarrier()) {
        return false;
      }
    }
  }

  /// No warp can go on, so that all threads of the block must be at one barrier.
  bool passBarrier() {
    const uint32_t place = std::ranges::find_if(warps, [](const Warp &one) { return !one.groups.empty(); })
                               ->groups.front()
                               .place;
    const std::string line = std::to_string(kernel.body[place].line);
    for (const Warp &one : warps) {
      for (const Group &group : one.groups)
        if (group.state == Group::State::AtShuffle)
          return fail("shuffle: lanes wait at line " + std::to_string(kernel.body[group.place].line) +
                      " for others that never come");
        else if (group.place != place)
          return fail("barrier: threads wait at line " + line + " and at line " +
                      std::to_string(kernel.body[group.place].line));
      if (one.ended != 0)
        return fail("barrier: threads wait at line " + line + " for others that have ended");
    }
    ++barriers;
    for (Warp &one : warps)
      one.moveTo(0, place + 1);
    return true;
  }

  // A warp.
  bool runWarp(uint64_t turn) {
    for (; turn > 0; --turn) {
      const std::optional<size_t> group = chooseGroup();
      if (!group)
        return true;
      if (++steps > request.stepLimit)
        return fail("endless: more than " + std::to_string(request.stepLimit) + " steps");
      if (!step(*group))
        return false;
    }
    return true;
  }

  std::optional<size_t> chooseGroup() {
    const std::vector<Group> &groups = warp->groups;
    if (groups.size() == 1)
      return groups[0].state == Group::State::Runs ? std::optional<size_t>(0) : std::nullopt;
    std::vector<size_t> ready;
    for (size_t group = 0; group < groups.size(); ++group)
      if (groups[group].state == Group::State::Runs)
        ready.push_back(group);
    if (ready.empty())
      return std::nullopt;
    std::ranges::sort(ready, {}, [&](size_t group) { return groups[group].place; });
    return ready[schedule.choose(ready.size())];
  }

  bool step(size_t group) {
    const Group now = warp->groups[group];
    const Instruction &at = kernel.body[now.place];
    uint32_t mask = now.mask;
    if (at.guard != kNoSlot) {
      if (!isMade(at, at.guard, mask))
        return false;
      uint32_t guarded = 0;
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        guarded |= static_cast<uint32_t>(warp->slots[at.guard][lane] & 1) << lane;
      mask &= at.guardNegated ? ~guarded : guarded;
    }
    switch (at.kind) {
    case Kind::Compute:
      if (!compute(at, computes[now.place], mask))
        return false;
      break;
    case Kind::Pack:
    case Kind::Unpack:
      if (!rearrange(at, mask))
        return false;
      break;
    case Kind::Load:
    case Kind::Store:
      if (!access(at, mask))
        return false;
      break;
    case Kind::Shuffle:
      if (mask != 0 && !areAllHere(at, mask)) {
        warp->groups[group].state = Group::State::AtShuffle;
        return fault.empty();
      }
      if (!shuffle(at, mask))
        return false;
      break;
    case Kind::Barrier:
      if (mask != now.mask)
        return fail(at, 0, "barrier: a part of the lanes is left out");
      warp->groups[group].state = Group::State::AtBarrier;
      return true;
    case Kind::Branch:
      return branch(at, group, mask);
    case Kind::Return:
      warp->end(group, mask);
      if (mask == now.mask)
        return true;
      break;
    }
    warp->moveTo(group, now.place + 1);
    return true;
  }

  bool branch(const Instruction &at, size_t group, uint32_t mask) {
    const uint32_t all = warp->groups[group].mask, next = warp->groups[group].place + 1;
    if (mask == all)
      warp->moveTo(group, at.target);
    else if (mask == 0)
      warp->moveTo(group, next);
    else if (infoOf(at.opcode).text == "bra.uni")
      return fail(at, 0, "shuffle: lanes part at a branch that says they do not");
    else {
      warp->groups[group].place = next;
      warp->split(group, mask, at.target);
      warp->moveTo(group, next);
    }
    return true;
  }

  bool isMade(const Instruction &at, uint16_t slot, uint32_t mask) {
    const uint32_t missing = mask & ~warp->made[slot];
    if (missing == 0)
      return true;
    return fail(at, static_cast<uint32_t>(std::countr_zero(missing)),
                "unwritten register: '" + kernel.slots[slot].name + "' used");
  }

  bool areMade(const Instruction &at, uint32_t mask) {
    for (uint16_t slot : at.sources)
      if (slot != kNoSlot && !isMade(at, slot, mask))
        return false;
    return true;
  }

  bool compute(const Instruction &at, const Computing &computing, uint32_t mask) {
    if (!areMade(at, mask))
      return false;
    auto lanes = [&](size_t source) -> const Lanes & {
      return warp->slots[at.sources[at.sources[source] == kNoSlot ? 0 : source]];
    };
    if (computing.dividesIntegers)
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        if ((mask >> lane & 1) && hasNoQuotient(at.opcode, lanes(0)[lane], lanes(1)[lane]))
          return fail(at, lane,
                      "quotient: of " + std::to_string(lanes(0)[lane]) + " and " +
                          std::to_string(lanes(1)[lane]));
    computing.function(warp->slots[at.results[0]], lanes(0), lanes(1), lanes(2), mask);
    warp->made[at.results[0]] |= mask;
    return true;
  }

  /// Packs a register from its parts, the lowest first, or unpacks the parts from the register.
  bool rearrange(const Instruction &at, uint32_t mask) {
    if (!areMade(at, mask))
      return false;
    const bool packs = at.kind == Kind::Pack;
    const auto &parts = packs ? at.sources : at.results;
    Lanes &result = warp->slots[at.results[0]];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      uint64_t whole = packs ? 0 : warp->slots[at.sources[0]][lane];
      for (size_t part = 0; part < parts.size() && parts[part] != kNoSlot; ++part) {
        const unsigned bits = kernel.slots[parts[part]].bits;
        if (packs)
          whole |= warp->slots[parts[part]][lane] << (part * bits);
        else
          warp->slots[parts[part]][lane] = whole >> (part * bits) & ((uint64_t(1) << bits) - 1);
      }
      if (packs)
        result[lane] = whole;
    }
    for (uint16_t slot : at.results)
      if (slot != kNoSlot)
        warp->made[slot] |= mask;
    return true;
  }

  // Memory.
  bool access(const Instruction &at, uint32_t mask) {
    const OpcodeInfo &info = infoOf(at.opcode);
    const bool isLoad = at.kind == Kind::Load;
    if (!areMade(at, mask) || (at.address != kNoSlot && !isMade(at, at.address, mask)))
      return false;
    const auto &values = isLoad ? at.results : at.sources;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      uint8_t *bytes = reach(at, info, lane);
      if (!bytes)
        return false;
      for (int element = 0; element < info.elements; ++element) {
        uint64_t &value = warp->slots[values[element]][lane];
        if (isLoad)
          value = widened(bytes + element * info.bytes, info, kernel.slots[values[element]].bits);
        else
          copyElement(bytes + element * info.bytes, &value, info.bytes);
      }
    }
    for (uint16_t slot : at.results)
      if (slot != kNoSlot)
        warp->made[slot] |= mask;
    return true;
  }

  /// The bytes that a lane may access; null, with the fault set, if it may not.
  uint8_t *reach(const Instruction &at, const OpcodeInfo &info, uint32_t lane) {
    const uint32_t size = info.elements * info.bytes;
    if (info.space == Space::Param)
      return reachParameter(at, size, lane);
    const uint64_t address = warp->slots[at.address][lane] + static_cast<uint64_t>(at.offset);
    const bool isLoad = at.kind == Kind::Load;
    auto what = [&] { return bytesText(size) + (isLoad ? " read" : " written"); };
    auto refuse = [&](const std::string &why) -> uint8_t * { return fail(at, lane, why), nullptr; };
    if ((address & (size - 1)) != 0)
      return refuse("misaligned: " + what());
    const Region *region = info.space == Space::Shared ? &sharedMemory : findRegion(address);
    if (!region)
      return refuse("out of bounds: " + what() + " where no memory is");
    const uint64_t offset = address - region->address;
    if (offset >= region->bytes || region->bytes - offset < size)
      return refuse("out of bounds: " + what() + " from byte " + std::to_string(offset) + " of '" +
                    region->name + "', which has " + bytesText(region->bytes));
    if (isLoad && region->written && !isWritten(region->written + offset, size))
      return refuse("unwritten memory: " + what() + " from byte " + std::to_string(offset) + " of '" +
                    region->name + "'");
    if (std::optional<Conflict> conflict = record(at, info.space, address, size, lane))
      return refuse(std::string(conflict->betweenBlocks ? "race between blocks: " : "race in block: ") +
                    what() + " from byte " + std::to_string(offset) + " of '" + region->name +
                    "' that another " + (conflict->otherWrote ? "wrote" : "read"));
    if (!isLoad && region->written)
      std::fill_n(region->written + offset, size, uint8_t(1));
    return region->data + offset;
  }

  uint8_t *reachParameter(const Instruction &at, uint32_t size, uint32_t lane) {
    const auto offset = static_cast<uint64_t>(at.offset);
    if ((offset & (size - 1)) != 0 || offset + size > request.parameters.size())
      return fail(at, lane, "out of bounds: " + bytesText(size) + " of the parameters"), nullptr;
    return const_cast<uint8_t *>(request.parameters.data()) + offset; // no instruction stores to parameters
  }

  const Region *findRegion(uint64_t address) {
    if (!lastRegion || address - lastRegion->address >= lastRegion->bytes)
      lastRegion = memory.find(address);
    return lastRegion;
  }

  std::optional<Conflict> record(const Instruction &at, Space space, uint64_t address, uint32_t size,
                                 uint32_t lane) {
    const bool isShared = space == Space::Shared;
    AccessLog &log = isShared ? shared : global;
    const Toucher who{isShared ? 0 : block, barriers, warp->number * kLanes + lane};
    return at.kind == Kind::Load ? log.read(address, size, who) : log.write(address, size, who);
  }

  // Between lanes.
  /// Whether every lane that the shuffle names has arrived.
  bool areAllHere(const Instruction &at, uint32_t mask) {
    if (!areMade(at, mask))
      return false;
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const auto named = static_cast<uint32_t>(warp->slots[at.sources[3]][lane]);
    if (uint32_t strangers = mask & ~named)
      return fail(at, static_cast<uint32_t>(std::countr_zero(strangers)),
                  "shuffle: a lane that its mask does not name");
    if (named & warp->ended)
      return fail(at, lane, "shuffle: a lane that has ended is named");
    return (named & ~mask) == 0;
  }

  bool shuffle(const Instruction &at, uint32_t mask) {
    const bool isButterfly = at.opcode == Opcode::shfl_sync_bfly_b32;
    const Lanes value = warp->slots[at.sources[0]], &other = warp->slots[at.sources[1]],
                &clamps = warp->slots[at.sources[2]];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      const auto segment = static_cast<uint32_t>(clamps[lane] >> 8 & 31),
                 clamp = static_cast<uint32_t>(clamps[lane] & 31);
      const auto choice = static_cast<uint32_t>(other[lane] & 31);
      const uint32_t last = (lane & segment) | (clamp & ~segment);
      const uint32_t chosen = isButterfly ? lane ^ choice : (lane & segment) | (choice & ~segment);
      const bool isInside = chosen <= last;
      const uint32_t from = isInside ? chosen : lane;
      if (!(mask >> from & 1))
        return fail(at, lane, "shuffle: the value of lane " + std::to_string(from) + ", which is not there");
      warp->slots[at.results[0]][lane] = value[from];
      if (at.results[1] != kNoSlot)
        warp->slots[at.results[1]][lane] = isInside;
    }
    for (uint16_t slot : at.results)
      if (slot != kNoSlot)
        warp->made[slot] |= mask;
    return true;
  }

  const Launch &request;
  const Kernel &kernel;
  const Memory &memory;
  Schedule schedule;
  std::vector<Computing> computes; ///< per instruction
  AccessLog global, shared;
  const Region *lastRegion = nullptr;
  std::string fault;
  uint64_t steps = 0;

  // The state of the block that runs.
  uint32_t block = 0, barriers = 0; ///< all barriers of the launch
  std::vector<Warp> warps;
  std::vector<Warp *> ready; ///< the warps that can go on
  Warp *warp = nullptr;
  std::vector<uint8_t> sharedData, sharedWritten;
  Region sharedMemory;
};

} // namespace

Result<std::vector<Touched>> launch(const Launch &launch, const Memory &memory) {
  if (!launch.kernel)
    return Status::badInput("a launch without a kernel");
  const std::string name = "kernel '" + launch.kernel->name + "'";
  if (launch.blocks == 0 || launch.blocks > INT32_MAX)
    return Status::badInput(name + " in " + std::to_string(launch.blocks) + " blocks");
  if (launch.parameters.size() != launch.kernel->parameterBytes)
    return Status::badInput(name + " takes " + std::to_string(launch.kernel->parameterBytes) +
                            " bytes of parameters, not " + std::to_string(launch.parameters.size()));
  for (const Slot &slot : launch.kernel->slots)
    if (slot.holds == Slot::Holds::Variable && slot.value >= launch.variables.size())
      return Status::badInput(name + " reads '" + slot.name + "', which has no address");
  Machine machine(launch, memory);
  WINDLASS_TRY(machine.run());
  return machine.touched();
}

} // namespace windlass::ptx
