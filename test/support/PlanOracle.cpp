// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/PlanOracle.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>
#include <bitset>
#include <map>

namespace windlass::test {
namespace {

using namespace windlass::plan;

constexpr size_t kMostEvents = 1024;

struct Step {
  const Section *section;
  const Instruction *instruction;
  uint32_t run;
  size_t indexInSection;
  int64_t ordinal;    ///< on its lane, within its section
  int64_t position;   ///< on its lane, over all steps
  int64_t microBatch; ///< of the training step
};

struct Touch {
  size_t step;
  uint32_t buffer;
  bool reads, writes, scratch;
  int64_t place; ///< of the byte within the operand
  size_t operand;
};

uint64_t mixed(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdull;
  return a ^ (a >> 33);
}

class Run {
public:
  Run(const Plan &plan, const std::vector<uint32_t> &order) : plan(plan) {
    int64_t microBatch = 0;
    for (uint32_t run = 0; run < order.size(); ++run) {
      append(plan.programs[0].sections[order[run]], run, microBatch);
      microBatch += plan.programs[0].sections[order[run]].advance;
    }
  }

  Verdict judge() {
    closeOrder();
    for (int64_t rank = 0; rank < plan.ranks(); ++rank)
      for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme})
        collectTouches(tier, rank);
    for (auto [one, other] : racing)
      verdict.races.insert(
          {nameOfStep(one), nameOfStep(other), steps[one].section->name, steps[other].section->name});
    if (verdict.harm.empty())
      follow();
    return verdict;
  }

private:
  void harm(const std::string &text) {
    if (verdict.harm.empty())
      verdict.harm = text;
  }

  std::string nameOfStep(size_t step) const {
    return nameOf(*steps[step].instruction, static_cast<uint32_t>(steps[step].ordinal));
  }

  void append(const Section &section, uint32_t run, int64_t microBatch) {
    std::map<Lane, int64_t> counts;
    for (size_t i = 0; i < section.instructions.size(); ++i) {
      const Instruction &instruction = section.instructions[i];
      steps.push_back({&section, &instruction, run, i, ++counts[instruction.lane],
                       ++positions[instruction.lane], microBatch + instruction.microBatch});
    }
  }

  //===--- order --------------------------------------------------------===//

  /// Finds the steps that are complete when each step starts, by joining those of every edge. A step that is
  /// already known to be complete adds nothing.
  void closeOrder() {
    complete.assign(steps.size(), {});
    for (size_t i = 0; i < steps.size(); ++i)
      for (size_t j = i; j-- > 0;) {
        if (complete[i].test(j))
          continue;
        if (startsAfterStart(i, j))
          complete[i] |= complete[j];
        if (startsAfterCompletion(i, j)) {
          complete[i] |= complete[j];
          complete[i].set(j);
        }
      }
    for (const Step &step : steps)
      checkWaits(step);
  }

  bool startsAfterStart(size_t i, size_t j) const {
    return steps[i].instruction->lane == steps[j].instruction->lane;
  }

  bool startsAfterCompletion(size_t i, size_t j) const {
    const Step &later = steps[i], &earlier = steps[j];
    const Lane lane = earlier.instruction->lane;
    if (later.run >= earlier.run + 2)
      return true;
    if (later.instruction->lane == lane) {
      int64_t depth = lane == Lane::NcIn || lane == Lane::NcOut ? plan.nvmeDepth : 1;
      return later.position - earlier.position >= depth;
    }
    for (const Wait &wait : later.instruction->waits)
      if (wait.lane == lane && isAwaited(wait, later, earlier))
        return true;
    return false;
  }

  bool isAwaited(const Wait &wait, const Step &later, const Step &earlier) const {
    if (wait.previous.empty())
      return earlier.run < later.run || earlier.ordinal <= wait.ordinal;
    for (const auto &[section, count] : wait.previous)
      if (earlier.run + 1 == later.run && earlier.section == &plan.programs[0].sections[section] &&
          earlier.ordinal <= count)
        return true;
    return false;
  }

  /// Finds a wait that the sequential executor could never leave.
  void checkWaits(const Step &step) {
    for (const Wait &wait : step.instruction->waits) {
      auto standing = [&](const std::vector<Instruction> &list, size_t count) {
        return std::count_if(list.begin(), list.begin() + static_cast<long>(count),
                             [&](const Instruction &other) { return other.lane == wait.lane; });
      };
      if (wait.previous.empty() &&
          standing(step.section->instructions, step.indexInSection) < static_cast<int64_t>(wait.ordinal))
        harm("waits for what comes later");
      for (const auto &[section, count] : wait.previous) {
        const std::vector<Instruction> &before = plan.programs[0].sections[section].instructions;
        if (standing(before, before.size()) < static_cast<int64_t>(count))
          harm("waits for more than the previous section has");
      }
    }
  }

  //===--- bytes --------------------------------------------------------===//

  int64_t startOf(const Operand &operand, int64_t rank) const {
    int64_t start = plan.programs[0].buffers[operand.buffer].offset + operand.offset;
    for (size_t axis = operand.stride.size(); axis-- > 0; rank /= plan.mesh[axis].size)
      start += rank % plan.mesh[axis].size * operand.stride[axis];
    return start;
  }

  static bool has(const Buffer &buffer, int64_t rank) { return buffer.owner < 0 || buffer.owner == rank; }

  /// All ranks run collectives. Any other instruction runs on the ranks that have all of its operands.
  bool runs(const Instruction &instruction, int64_t rank) const {
    return instruction.lane == Lane::Gg ||
           std::all_of(instruction.operands.begin(), instruction.operands.end(), [&](const Operand &operand) {
             return has(plan.programs[0].buffers[operand.buffer], rank);
           });
  }

  static Access accessOf(const Plan &plan, const Instruction &instruction, size_t o) {
    if (instruction.op == Opcode::Launch)
      return plan.kernels[static_cast<size_t>(instruction.kernel)].args[o];
    std::string_view spec = rowOf(instruction.op).operands;
    return spec[std::min(3 * o, (spec.size() - 2) / 3 * 3)] == 'r' ? Access::Read : Access::Write;
  }

  void collectTouches(Tier tier, int64_t rank) {
    const std::vector<int64_t> edges = edgesOf(tier, rank);
    for (std::vector<Touch> &granule : granules)
      granule.clear();
    granules.resize(edges.size() - 1);
    for (size_t s = 0; s < steps.size(); ++s)
      for (size_t o = 0; o < steps[s].instruction->operands.size(); ++o)
        touch(s, o, tier, rank, edges);
    const std::vector<int64_t> homes = homesOf(tier, rank, edges);
    for (size_t granule = 0; granule < granules.size(); ++granule) {
      const std::vector<Touch> &touches = granules[granule];
      // The previous granule has the same operands, so that its result holds for this one.
      if (granule > 0 && homes[granule] == homes[granule - 1] &&
          std::ranges::equal(touches, granules[granule - 1], isOfOneOperand))
        continue;
      checkPairs(touches);
      checkContents(touches, homes[granule]);
    }
  }

  /// The begins of the granules of an arena, and the end of the last. No operand and no buffer begins or ends
  /// within a granule, so that an instruction touches all of its bytes or none.
  std::vector<int64_t> edgesOf(Tier tier, int64_t rank) const {
    int64_t arenaBytes = 0;
    for (const Arena &arena : plan.programs[0].arenas)
      arenaBytes = arena.tier == tier ? arena.bytes : arenaBytes;
    std::vector<int64_t> edges = {0, arenaBytes};
    const auto add = [&](int64_t start, int64_t bytes) {
      for (int64_t edge : {start, start + bytes})
        if (0 < edge && edge < arenaBytes)
          edges.push_back(edge);
    };
    for (const Buffer &buffer : plan.programs[0].buffers)
      add(buffer.offset, buffer.bytes);
    for (const Step &step : steps)
      for (const Operand &operand : step.instruction->operands)
        add(startOf(operand, rank), operand.bytes);
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    return edges;
  }

  static size_t granuleAt(int64_t edge, const std::vector<int64_t> &edges) {
    return static_cast<size_t>(std::ranges::lower_bound(edges, edge) - edges.begin());
  }

  static bool isOfOneOperand(const Touch &one, const Touch &other) {
    return one.step == other.step && one.operand == other.operand;
  }

  void touch(size_t s, size_t o, Tier tier, int64_t rank, const std::vector<int64_t> &edges) {
    const Instruction &instruction = *steps[s].instruction;
    const Operand &operand = instruction.operands[o];
    const Buffer &buffer = plan.programs[0].buffers[operand.buffer];
    if (buffer.tier != tier || !has(buffer, rank) || !runs(instruction, rank))
      return;
    int64_t start = startOf(operand, rank), end = start + operand.bytes;
    if (end > edges.back())
      return harm("leaves the arena");
    if (start < buffer.offset || end > buffer.offset + buffer.bytes)
      return harm("leaves its buffer");
    if (instruction.op == Opcode::Launch &&
        operand.bytes < plan.kernels[static_cast<size_t>(instruction.kernel)].argBytes[o])
      return harm("a kernel touches more than it is given");
    if (instruction.op == Opcode::Launch && !isWhole(instruction))
      return harm("a kernel leaves some of its operands as they were, or touches others");
    Access access = accessOf(plan, instruction, o);
    bool isRead = access == Access::Read || access == Access::ReadWrite;
    for (size_t granule = granuleAt(start, edges); edges[granule] < end; ++granule)
      granules[granule].push_back({s, operand.buffer, isRead, access != Access::Read,
                                   access == Access::Scratch, edges[granule] - start, o});
  }

  /// Whether a launch covers the operands of its kernel, and the extents of a matmul are those of its
  /// operands.
  bool isWhole(const Instruction &launch) const {
    const Kernel &kernel = plan.kernels[static_cast<size_t>(launch.kernel)];
    const bool cut = std::ranges::any_of(kernel.argBytes, [](int64_t bytes) { return bytes == 0; });
    const MatmulSpec &m = kernel.matmul;
    if (kernel.kind == KernelKind::Matmul)
      return launch.begin == 0 && launch.end == kernel.extent &&
             launch.operands[0].bytes == m.storedA().elements() * bytesOf(m.a) &&
             launch.operands[1].bytes == m.storedB().elements() * bytesOf(m.b) &&
             launch.operands[2].bytes == m.storedC().elements() * bytesOf(m.c);
    if (!cut)
      return launch.begin == 0 && launch.end == kernel.extent;
    return launch.begin == 0 && std::ranges::all_of(launch.operands, [&](const Operand &operand) {
             return kernel.argBytes[static_cast<size_t>(&operand - launch.operands.data())] != 0 ||
                    (launch.end > 0 && operand.bytes % launch.end == 0 && operand.bytes / launch.end <= 8);
           });
  }

  /// Whether two touches are one place of generated code, which reads an element before it writes it.
  bool isInPlace(const Touch &one, const Touch &other) const {
    const Instruction &instruction = *steps[one.step].instruction;
    return instruction.op == Opcode::Launch &&
           plan.kernels[static_cast<size_t>(instruction.kernel)].kind == KernelKind::Generated &&
           one.buffer == other.buffer && one.place == other.place && one.reads && !one.writes && !other.reads;
  }

  void checkPairs(const std::vector<Touch> &touches) {
    for (size_t b = 0; b < touches.size(); ++b)
      for (size_t a = 0; a < b; ++a) {
        const Touch &one = touches[a], &other = touches[b];
        if (one.step == other.step) {
          if ((one.writes || other.writes) && !isInPlace(one, other))
            harm("two operands of one instruction overlap");
          continue;
        }
        bool conflict = (one.writes || other.writes) && !complete[other.step][one.step];
        if (!conflict)
          continue;
        harm("a race");
        racing.emplace(one.step, other.step);
      }
  }

  /// A read must find bytes that were written to its buffer, in this run, or before it if the buffer is
  /// persistent.
  void checkContents(const std::vector<Touch> &touches, int64_t home) {
    int64_t holder = home, run = 0;
    for (size_t s = 0, at = 0; at < touches.size(); s = at) {
      while (at < touches.size() && touches[at].step == touches[s].step)
        ++at;
      for (size_t t = s; t < at; ++t)
        if (touches[t].reads &&
            (holder != touches[t].buffer ||
             (!plan.programs[0].buffers[touches[t].buffer].persistent && run != steps[touches[t].step].run)))
          harm("a read of what nobody wrote for it");
      for (size_t t = s; t < at; ++t)
        if (touches[t].writes) {
          holder = touches[t].scratch ? -1 : touches[t].buffer;
          run = steps[touches[t].step].run;
        }
    }
    if (home >= 0 && holder != home)
      harm("a state's home is lost");
  }

  /// Per granule, the buffer that is the home of a state there; -1 if there is none.
  std::vector<int64_t> homesOf(Tier tier, int64_t rank, const std::vector<int64_t> &edges) const {
    std::vector<int64_t> homes(edges.size() - 1, -1);
    for (const State &state : plan.programs[0].states) {
      const Buffer &buffer = plan.programs[0].buffers[state.home.buffer];
      if (!buffer.persistent || buffer.tier != tier || !has(buffer, rank))
        continue;
      const size_t end = std::min(granuleAt(buffer.offset + buffer.bytes, edges), homes.size());
      for (size_t granule = granuleAt(buffer.offset, edges); granule < end; ++granule)
        if (homes[granule] < 0)
          homes[granule] = state.home.buffer;
    }
    return homes;
  }

  //===--- values -------------------------------------------------------===//

  /// Follows values as hashes, per buffer. checkContents() has already shown that buffers have their own
  /// contents.
  void follow() {
    for (const Step &step : steps) {
      const Instruction &instruction = *step.instruction;
      uint64_t value =
          mixed(static_cast<uint64_t>(instruction.op) + 1, static_cast<uint64_t>(instruction.kernel + 2));
      for (char letter : instruction.item)
        value = mixed(value, static_cast<uint64_t>(letter));
      if (!instruction.item.empty())
        value = mixed(value, static_cast<uint64_t>(step.microBatch));
      value = mixed(value, static_cast<uint64_t>(instruction.end - instruction.begin));
      for (int64_t piece : instruction.pieceBytes)
        value = mixed(value, static_cast<uint64_t>(piece));
      for (int64_t axis = 0; axis < std::ssize(plan.mesh); ++axis)
        value = mixed(value, instruction.axes.empty() || std::ranges::count(instruction.axes, axis) > 0);
      for (bool writing : {false, true})
        for (size_t o = 0; o < instruction.operands.size(); ++o)
          followOperand(instruction, o, writing, value);
      if (instruction.op == Opcode::Report)
        verdict.result += value;
    }
    for (const State &state : plan.programs[0].states)
      verdict.result += identityOf(state);
    for (const State &gradient : plan.programs[0].gradients) // the gradients that may be dumped after a step
      verdict.result += mixed(identityOf(gradient), valueAt(gradient.home.buffer, gradient.home.offset / 64));
    for (const State &state : plan.programs[0].states)
      for (int64_t at = state.home.offset / 64; at < (state.home.offset + state.home.bytes + 63) / 64; ++at)
        verdict.result +=
            mixed(valueAt(state.home.buffer, at), static_cast<uint64_t>(at) + state.home.buffer);
  }

  /// The entries of a state in a checkpoint: name, class, type and shape.
  static uint64_t identityOf(const State &state) {
    uint64_t identity = mixed(static_cast<uint64_t>(state.cls), static_cast<uint64_t>(state.type));
    for (char letter : state.name)
      identity = mixed(identity, static_cast<uint64_t>(letter));
    for (int64_t extent : state.shape)
      identity = mixed(identity, static_cast<uint64_t>(extent));
    return identity;
  }

  /// The value of a block of 64 bytes of a buffer.
  uint64_t &valueAt(uint32_t buffer, int64_t block) {
    values.resize(std::max<size_t>(values.size(), buffer + 1));
    std::vector<uint64_t> &blocks = values[buffer];
    blocks.resize(std::max(blocks.size(), static_cast<size_t>(block) + 1));
    return blocks[static_cast<size_t>(block)];
  }

  void followOperand(const Instruction &instruction, size_t o, bool writing, uint64_t &value) {
    const Operand &operand = instruction.operands[o];
    Access access = accessOf(plan, instruction, o);
    bool isRead = access == Access::Read || access == Access::ReadWrite;
    bool isWritten = access == Access::Write || access == Access::ReadWrite;
    if (writing ? !isWritten : !isRead)
      return;
    for (int64_t stride : operand.stride)
      value = mixed(value, static_cast<uint64_t>(stride));
    for (int64_t at = operand.offset / 64; at < (operand.offset + operand.bytes + 63) / 64; ++at) {
      uint64_t &here = valueAt(operand.buffer, at);
      if (writing)
        here = mixed(value, static_cast<uint64_t>(at - operand.offset / 64) * 64 + o);
      else
        value = mixed(value, here);
    }
  }

  const Plan &plan;
  std::vector<Step> steps;
  std::map<Lane, int64_t> positions;
  std::vector<std::vector<Touch>> granules;       ///< of an arena
  std::vector<std::bitset<kMostEvents>> complete; ///< per step: the steps complete at its start
  std::set<std::pair<size_t, size_t>> racing;
  std::vector<std::vector<uint64_t>> values; ///< by buffer and block
  Verdict verdict;
};

} // namespace

Verdict judge(const plan::Plan &plan, const std::vector<std::vector<uint32_t>> &orders) {
  Verdict all;
  for (const std::vector<uint32_t> &order : orders) {
    Verdict one = Run(plan, order).judge();
    if (all.harm.empty())
      all.harm = one.harm;
    all.races.merge(one.races);
    all.result = mixed(all.result, one.result);
  }
  return all;
}

} // namespace windlass::test
