// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/NvmeStore.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace windlass {

namespace {

constexpr int64_t kWindow = int64_t{1} << 20;
constexpr int64_t kAlign = ScratchFile::kAlignment;

Result<std::unique_ptr<BlockEngine>> makeEngine(const NvmeConfig &config, const EngineConfig &wanted,
                                                std::vector<std::string> &notices) {
  if (config.factory)
    return config.factory(wanted);
  if (config.engine == NvmeEngine::Threads)
    return makeThreadEngine(wanted);
  Result<std::unique_ptr<BlockEngine>> uring = makeUringEngine(wanted);
  if (uring && !wanted.registered.empty() && !(*uring)->hasRegistered())
    notices.push_back(kNotRegistered);
  if (uring || config.engine == NvmeEngine::IoUring)
    return uring;
  notices.push_back(uring.status().message() + ": a thread pool is used");
  return makeThreadEngine(wanted);
}

} // namespace

Result<std::unique_ptr<NvmeStore>> NvmeStore::create(const NvmeConfig &config,
                                                     std::vector<std::string> &notices) {
  auto store = std::make_unique<NvmeStore>();
  store->folder = config.folder;
  Result<ScratchFile> file = ScratchFile::create(config.folder, config.bytes, config.direct);
  if (!file)
    return file.status();
  store->file = file.take();
  if (config.direct && !store->file.isDirect() && config.bytes > 0)
    notices.push_back("scratch folder '" + config.folder +
                      "' refuses O_DIRECT: reads and writes go through the page cache");
  Result<Arena> staging = Arena::create(kWindow);
  if (!staging)
    return staging.status();
  store->staging = staging.take();
  if (config.reads)
    WINDLASS_TRY(store->makeQueue(config, IoDirection::Read, notices));
  if (config.writes)
    WINDLASS_TRY(store->makeQueue(config, IoDirection::Write, notices));
  return store;
}

Status NvmeStore::makeQueue(const NvmeConfig &config, IoDirection direction,
                            std::vector<std::string> &notices) {
  constexpr int kFewestSlots = 4; // blocks in flight that keep a disk busy even with one transfer
  EngineConfig wanted;
  wanted.descriptor = file.descriptor();
  wanted.direction = direction;
  wanted.slots = static_cast<int>(std::max<int64_t>(config.depth, kFewestSlots));
  wanted.registered = config.pool;
  Result<std::unique_ptr<BlockEngine>> engine = makeEngine(config, wanted, notices);
  if (!engine)
    return engine.status();
  queues[static_cast<size_t>(direction)] =
      std::make_unique<NvmeQueue>(engine.take(), direction, config.depth, wanted.slots);
  return Status::ok();
}

/// Visits the aligned windows around [at, at + bytes): file offset, window bytes,
/// first wanted byte in the window, wanted bytes, bytes wanted before this window.
template <typename Visit> Status NvmeStore::forEachWindow(int64_t at, int64_t bytes, Visit visit) {
  if (at < 0 || bytes < 0 || at + bytes > file.size())
    return Status::internal("nvme bytes [" + std::to_string(at) + ", " + std::to_string(at + bytes) +
                            ") are outside the scratch file of " + std::to_string(file.size()));
  for (int64_t done = 0; done < bytes;) {
    int64_t offset = (at + done) / kAlign * kAlign;
    int64_t skip = at + done - offset;
    int64_t wanted = std::min(bytes - done, kWindow - skip);
    int64_t window = (skip + wanted + kAlign - 1) / kAlign * kAlign;
    WINDLASS_TRY(visit(offset, window, skip, wanted, done));
    done += wanted;
  }
  return Status::ok();
}

Status NvmeStore::read(int64_t at, std::span<std::byte> out) {
  return forEachWindow(at, out.size(),
                       [&](int64_t offset, int64_t window, int64_t skip, int64_t wanted, int64_t done) {
                         WINDLASS_TRY(move(IoDirection::Read, offset, window));
                         std::memcpy(out.data() + done, staging.data() + skip, wanted);
                         return Status::ok();
                       });
}

Status NvmeStore::write(int64_t at, std::span<const std::byte> in) {
  return forEachWindow(at, in.size(),
                       [&](int64_t offset, int64_t window, int64_t skip, int64_t wanted, int64_t done) {
                         if (wanted < window)
                           WINDLASS_TRY(move(IoDirection::Read, offset, window));
                         std::memcpy(staging.data() + skip, in.data() + done, wanted);
                         return move(IoDirection::Write, offset, window);
                       });
}

/// Moves `bytes` between the staging buffer and the file.
Status NvmeStore::move(IoDirection direction, int64_t offset, int64_t bytes) {
  int stalls = 0;
  for (int64_t done = 0; done < bytes;) {
    ssize_t moved = direction == IoDirection::Read
                        ? pread(file.descriptor(), staging.data() + done, bytes - done, offset + done)
                        : pwrite(file.descriptor(), staging.data() + done, bytes - done, offset + done);
    if (moved < 0 && errno == EINTR)
      continue;
    stalls = moved >= kAlign ? 0 : stalls + 1;
    if (moved <= 0 || stalls == kMostStalls)
      return Status::runFailed("scratch folder '" + folder + "': " + std::to_string(bytes) +
                               " bytes at offset " + std::to_string(offset) + " cannot be moved: " +
                               (moved < 0   ? std::strerror(errno)
                                : moved > 0 ? "too few at a time"
                                            : "end of file"));
    done += wholeSectors(moved);
  }
  return Status::ok();
}

} // namespace windlass
