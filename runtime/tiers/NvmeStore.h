// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NvmeStore.h - the NVMe tier of one rank ===============================//
//
// Duty: the scratch file, the queues of the two NVMe lanes, and plain reads and
// writes of any bytes between steps. Falls back from io_uring to threads and
// from O_DIRECT to the page cache, and says so in notices.
// Threads: the queues follow NvmeQueue.h; read and write from one thread while
// no transfer is in flight.
// Errors: RunFailed naming folder, offset and bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/Arena.h"
#include "runtime/tiers/NvmeQueue.h"
#include "runtime/tiers/ScratchFile.h"
#include <functional>
#include <string>
#include <vector>

namespace windlass {

enum class NvmeEngine { Automatic, IoUring, Threads };

/// A notice: transfers cost a page walk per block.
inline constexpr const char *kNotRegistered =
    "the limit of locked memory does not hold the pools of the disk: "
    "NVMe transfers use memory that is not registered";

using EngineFactory = std::function<Result<std::unique_ptr<BlockEngine>>(const EngineConfig &)>;

struct NvmeConfig {
  std::string folder = ".";
  int64_t bytes = 0;
  int64_t depth = 4;
  NvmeEngine engine = NvmeEngine::Automatic;
  bool direct = true;
  bool reads = true, writes = true; ///< which queues are wanted
  std::span<std::byte> pool;        ///< of host memory, to be pinned; empty: transfers use memory that is not
  EngineFactory factory;            ///< tests: in place of `engine`
};

class NvmeStore {
public:
  /// Appends to `notices` what runs in place of what was asked for.
  static Result<std::unique_ptr<NvmeStore>> create(const NvmeConfig &config,
                                                   std::vector<std::string> &notices);

  /// Null if the direction was not wanted.
  NvmeQueue *queue(IoDirection direction) { return queues[static_cast<size_t>(direction)].get(); }

  Status read(int64_t at, std::span<std::byte> out);
  Status write(int64_t at, std::span<const std::byte> in);

private:
  Status makeQueue(const NvmeConfig &config, IoDirection direction, std::vector<std::string> &notices);
  template <typename Visit> Status forEachWindow(int64_t at, int64_t bytes, Visit visit);
  Status move(IoDirection direction, int64_t offset, int64_t bytes);

  std::string folder;
  ScratchFile file;
  Arena staging;
  std::unique_ptr<NvmeQueue> queues[2];
};

} // namespace windlass
