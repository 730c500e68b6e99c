#include "runtime/executor/Storage.h"
#include <algorithm>
#include <cstring>
#include <sys/resource.h>

namespace windlass {

namespace {

bool uses(const plan::Plan &plan, plan::Opcode op) {
  return std::ranges::any_of(plan.sections, [&](const plan::Section &section) {
    return std::ranges::any_of(section.instructions,
                               [&](const plan::Instruction &instruction) { return instruction.op == op; });
  });
}

/// Whether both NVMe lanes of all ranks may pin their host arena.
bool mayPin(int64_t bytesPerRank, int64_t ranks) {
  rlimit limit{};
  return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
         static_cast<rlim_t>(bytesPerRank) <= limit.rlim_cur / (2 * static_cast<rlim_t>(ranks));
}

void addNew(std::vector<std::string> &notices, std::vector<std::string> more) {
  for (std::string &notice : more)
    if (std::ranges::find(notices, notice) == notices.end())
      notices.push_back(std::move(notice));
}

} // namespace

Result<std::unique_ptr<Storage>> Storage::create(const plan::Plan &plan, const ExecutorOptions &options,
                                                 const EngineFactory &factory,
                                                 std::vector<std::string> &notices) {
  auto storage = std::make_unique<Storage>();
  storage->plan = &plan;
  NvmeConfig config;
  config.folder = options.scratchFolder;
  config.depth = std::max<int64_t>(1, plan.nvmeDepth);
  config.engine = options.nvmeEngine;
  config.direct = options.directIo;
  config.factory = factory;
  config.reads = !options.reference && uses(plan, plan::Opcode::Read);
  config.writes = !options.reference && uses(plan, plan::Opcode::Write);
  for (int64_t r = 0; r < plan.ranks(); ++r) {
    Rank &rank = storage->ranks.emplace_back();
    for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host})
      if (const plan::Arena *planned = arenaOf(plan, tier)) {
        Result<Arena> arena = Arena::create(planned->bytes, options.canary);
        if (!arena)
          return arena.status().in("rank " + std::to_string(r) + ", " + std::string(textOf(tier)));
        rank.memory[static_cast<size_t>(tier)] = arena.take();
      }
    const plan::Arena *planned = arenaOf(plan, plan::Tier::Nvme);
    if (!planned || planned->bytes == 0)
      continue;
    const Arena &host = rank.memory[static_cast<size_t>(plan::Tier::Host)];
    config.bytes = planned->bytes;
    std::vector<std::string> said;
    const bool pins = options.registerMemory && mayPin(host.size(), plan.ranks());
    config.hostArena = pins ? host.span() : std::span<std::byte>();
    if (options.registerMemory && !pins && config.engine != NvmeEngine::Threads &&
        (config.reads || config.writes))
      said.push_back(kNotRegistered);
    Result<std::unique_ptr<NvmeStore>> nvme = NvmeStore::create(config, said);
    if (!nvme)
      return nvme.status().in("rank " + std::to_string(r));
    rank.nvme = nvme.take();
    addNew(notices, std::move(said));
  }
  return storage;
}

bool Storage::isOnNvme(const plan::Operand &operand) const {
  return tierOf(*plan, operand) == plan::Tier::Nvme;
}

std::byte *Storage::address(int64_t rank, const plan::Operand &operand) const {
  if (isOnNvme(operand))
    return nullptr;
  return ranks[rank].memory[static_cast<size_t>(tierOf(*plan, operand))].data() +
         arenaOffset(*plan, operand, rank);
}

std::span<const std::byte> Storage::arena(int64_t rank, plan::Tier tier) const {
  if (tier == plan::Tier::Nvme)
    return {};
  return ranks[rank].memory[static_cast<size_t>(tier)].span();
}

Status Storage::checkRange(int64_t rank, const plan::Operand &operand, int64_t at, size_t bytes) const {
  const plan::Buffer &buffer = plan->buffers[operand.buffer];
  int64_t begin = bufferOffset(*plan, operand, rank) + at;
  if (at >= 0 && begin + static_cast<int64_t>(bytes) <= buffer.bytes)
    return Status::ok();
  return Status::internal("bytes [" + std::to_string(begin) + ", " + std::to_string(begin + bytes) +
                          ") are outside buffer '" + buffer.name + "' of " + std::to_string(buffer.bytes));
}

Status Storage::read(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out) {
  WINDLASS_TRY(checkRange(rank, operand, at, out.size()));
  if (isOnNvme(operand))
    return nvme(rank).read(arenaOffset(*plan, operand, rank) + at, out);
  std::memcpy(out.data(), address(rank, operand) + at, out.size());
  return Status::ok();
}

Status Storage::write(int64_t rank, const plan::Operand &operand, int64_t at, std::span<const std::byte> in) {
  WINDLASS_TRY(checkRange(rank, operand, at, in.size()));
  if (isOnNvme(operand))
    return nvme(rank).write(arenaOffset(*plan, operand, rank) + at, in);
  std::memcpy(address(rank, operand) + at, in.data(), in.size());
  return Status::ok();
}

} // namespace windlass
