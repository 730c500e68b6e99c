// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Storage.h"
#include <algorithm>
#include <sys/resource.h>

namespace windlass {

namespace {

bool uses(const plan::Program &program, plan::Opcode op) {
  return std::ranges::any_of(program.sections, [&](const plan::Section &section) {
    return std::ranges::any_of(section.instructions,
                               [&](const plan::Instruction &instruction) { return instruction.op == op; });
  });
}

/// Whether both NVMe lanes of all ranks may pin their pool.
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
                                                 Backend &backend, const EngineFactory &factory,
                                                 std::vector<std::string> &notices) {
  auto storage = std::make_unique<Storage>();
  storage->plan = &plan;
  storage->local = options.ranks.isEmpty() ? plan::RankSet::allOf(plan) : options.ranks;
  storage->held.resize(storage->local.size());
  NvmeConfig config;
  config.folder = options.scratchFolder;
  config.depth = std::max<int64_t>(1, plan.nvmeDepth);
  config.engine = options.nvmeEngine;
  config.direct = options.directIo;
  config.factory = factory;
  for (int64_t rank : storage->local) {
    Status status = storage->reserve(rank, options, backend);
    if (status.isOk())
      status = storage->openNvme(rank, options, config, notices);
    WINDLASS_TRY(status.in("rank " + std::to_string(rank)));
  }
  return storage;
}

/// The scratch file of a rank, where its program has bytes on a disk.
Status Storage::openNvme(int64_t rank, const ExecutorOptions &options, NvmeConfig config,
                         std::vector<std::string> &notices) {
  const plan::Program &program = programOf(rank);
  const plan::Arena *planned = arenaOf(program, plan::Tier::Nvme);
  if (!planned || planned->bytes == 0)
    return Status::ok();
  const plan::ByteSpan pool = plan::pinnedPool(program);
  const bool pins = options.registerMemory && mayPin(pool.bytes(), static_cast<int64_t>(local.size()));
  Rank &opened = held[local.placeOf(rank)];
  config.bytes = planned->bytes;
  config.reads = !options.reference && uses(program, plan::Opcode::Read);
  config.writes = !options.reference && uses(program, plan::Opcode::Write);
  config.pool = pins ? opened.host.span().subspan(pool.begin, pool.bytes()) : std::span<std::byte>();
  std::vector<std::string> said;
  if (options.registerMemory && !pins && config.engine != NvmeEngine::Threads &&
      (config.reads || config.writes))
    said.push_back(kNotRegistered);
  Result<std::unique_ptr<NvmeStore>> nvme = NvmeStore::create(config, said);
  if (!nvme)
    return nvme.status();
  opened.nvme = nvme.take();
  addNew(notices, std::move(said));
  return Status::ok();
}

/// The arenas of a rank: empty ones where its program has none.
Status Storage::reserve(int64_t rank, const ExecutorOptions &options, Backend &backend) {
  auto planned = [program = &programOf(rank)](plan::Tier tier) {
    const plan::Arena *arena = arenaOf(*program, tier);
    return arena ? arena->bytes : 0;
  };
  Result<std::unique_ptr<DeviceMemory>> device =
      backend.makeMemory(rank, planned(plan::Tier::Device), options.canary);
  WINDLASS_TRY(device.status().in("device"));
  Result<Arena> host = Arena::create(planned(plan::Tier::Host), options.canary);
  WINDLASS_TRY(host.status().in("host"));
  Rank &reserved = held[local.placeOf(rank)];
  reserved.device = device.take();
  reserved.host = host.take();
  return reserved.device->pin(reserved.host.span()).in("host");
}

std::byte *Storage::address(int64_t rank, const plan::Operand &operand) const {
  const plan::Program &program = programOf(rank);
  const plan::Tier tier = tierOf(program, operand);
  if (tier == plan::Tier::Nvme)
    return nullptr;
  std::byte *start = tier == plan::Tier::Device ? at(rank).device->data() : at(rank).host.data();
  return start + arenaOffset(*plan, program, operand, rank);
}

std::span<const std::byte> Storage::arena(int64_t rank, plan::Tier tier) const {
  switch (tier) {
  case plan::Tier::Device:
    return at(rank).device->hostView();
  case plan::Tier::Host:
    return at(rank).host.span();
  case plan::Tier::Nvme:
    break;
  }
  return {};
}

Status Storage::checkRange(int64_t rank, const plan::Operand &operand, int64_t at, size_t bytes) const {
  const plan::Buffer &buffer = programOf(rank).buffers[operand.buffer];
  int64_t begin = bufferOffset(*plan, operand, rank) + at;
  if (at >= 0 && begin + static_cast<int64_t>(bytes) <= buffer.bytes)
    return Status::ok();
  return Status::internal("bytes [" + std::to_string(begin) + ", " + std::to_string(begin + bytes) +
                          ") are outside buffer '" + buffer.name + "' of " + std::to_string(buffer.bytes));
}

Status Storage::read(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out) {
  WINDLASS_TRY(checkRange(rank, operand, at, out.size()));
  const auto bytes = static_cast<int64_t>(out.size());
  switch (tierOf(programOf(rank), operand)) {
  case plan::Tier::Device:
    return device(rank).offload(out.data(), address(rank, operand) + at, bytes, nullptr);
  case plan::Tier::Host:
    std::copy_n(address(rank, operand) + at, bytes, out.data());
    return Status::ok();
  case plan::Tier::Nvme:
    return nvme(rank).read(arenaOffset(*plan, programOf(rank), operand, rank) + at, out);
  }
  return Status::internal("bytes of no tier");
}

Status Storage::write(int64_t rank, const plan::Operand &operand, int64_t at, std::span<const std::byte> in) {
  WINDLASS_TRY(checkRange(rank, operand, at, in.size()));
  const auto bytes = static_cast<int64_t>(in.size());
  switch (tierOf(programOf(rank), operand)) {
  case plan::Tier::Device:
    return device(rank).upload(address(rank, operand) + at, in.data(), bytes, nullptr);
  case plan::Tier::Host:
    std::copy_n(in.data(), bytes, address(rank, operand) + at);
    return Status::ok();
  case plan::Tier::Nvme:
    return nvme(rank).write(arenaOffset(*plan, programOf(rank), operand, rank) + at, in);
  }
  return Status::internal("bytes of no tier");
}

} // namespace windlass
