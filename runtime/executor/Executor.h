// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Executor.h - runs the sections of a plan ==============================//
//
// Duty: one seam for both executors. The concurrent one drives every lane of
// every rank; the reference one runs the same instructions one after another,
// rank by rank, in the plan's total order, and is the oracle of the first.
// The device, its kernels and the transport are those of the plan's backend.
// Ownership: an executor owns its arenas, kernels, transport and threads; the
// plan must outlive it. Everything is allocated in create(); a step allocates nothing.
// Threads: one thread calls an Executor; its StepHost is called from many.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DeviceTimeout.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/RankSet.h"
#include "runtime/tiers/NvmeStore.h"
#include "runtime/transport/ByteNetwork.h"
#include "runtime/transport/OtherProcesses.h"
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace windlass {

/// Which feed or report, for whom.
struct ItemRequest {
  std::string_view item; ///< "tokens", "learning_rate", "loss", ...
  int64_t rank = 0;
  int64_t microBatch = 0; ///< within the step; 0 where there is none
};

/// What the training loop does for a plan while a section runs.
/// Threads: called concurrently for different ranks; never twice at once for one rank.
class StepHost {
public:
  virtual ~StepHost() = default;
  /// Fills all of `bytes` with the item.
  virtual Status feed(const ItemRequest &request, std::span<std::byte> bytes) = 0;
  virtual Status report(const ItemRequest &request, std::span<const std::byte> bytes) = 0;
};

struct ExecutorOptions {
  plan::RankSet ranks;             ///< of this process; empty: all, and no others
  ByteNetwork *network = nullptr;  ///< to the processes of the other ranks; outlives the executor
  OtherProcesses others;           ///< what devices ask of them that have a network of their own
  bool reference = false;          ///< the sequential oracle
  bool checkKernels = false;       ///< the same, and each launch on the device is held against the host
  std::string scratchFolder = "."; ///< where the NVMe tier keeps its unlinked files
  NvmeEngine nvmeEngine = NvmeEngine::Automatic;
  bool directIo = true;       ///< O_DIRECT where the file system grants it
  bool registerMemory = true; ///< pools pinned for io_uring, where the locked-memory limit holds them
  int canary = -1;            ///< 0..255: every arena byte before anything is written (tests)
  bool recordTrace = false;   ///< keep start and end of every instruction of the newest section runs
  bool recordWork = false;    ///< and what it took of a processor, which asks the kernel twice for each
  std::string kernelsFolder;  ///< folder of Plan::kernelFiles
  double deviceSeconds = kDeviceSeconds; ///< the most that a device may take for one instruction or copy
  bool bindRanks = false;                ///< ranks that are alike each have a part of this process's cores
  struct Pace *pace = nullptr;           ///< link clocks, or none (runtime/executor/Pace.h)
};

/// One instruction as it ran; seconds since the step began.
struct TraceEvent {
  int64_t rank = 0;
  uint32_t section = 0;     ///< index into its program's sections
  int64_t microBatch = 0;   ///< within the step
  uint32_t instruction = 0; ///< index in its section
  double start = 0, end = 0;
  double work = 0; ///< seconds of a core that its lane's thread and the helpers of its launch worked; 0 where
                   ///< none was recorded
};

/// Counters of a run, summed over ranks.
struct ExecutorCounters {
  int64_t nvmeBytesRead = 0, nvmeBytesWritten = 0;
  int64_t uploadedBytes = 0, offloadedBytes = 0, collectiveBytes = 0;
  int64_t messageBytes = 0; ///< from one program to another
};

class Executor {
public:
  virtual ~Executor() = default;
  /// Checks the plan, loads kernels (hash and CPU features first), reserves every arena and file.
  static Result<std::unique_ptr<Executor>> create(const plan::Plan &plan, const ExecutorOptions &options);

  /// All runs of the schedule: a training step, or one evaluation or sample. Begins and ends with a drain.
  /// BadInput: the plan does not serve the purpose.
  virtual Status run(plan::Purpose purpose, StepHost &host) = 0;

  /// Ends the run that is under way, or else the next one, for a reason that was found elsewhere, whatever it
  /// waits for. Returns at once. Any thread.
  virtual void stop(const Status & /*why*/) {}

  /// Reads or writes bytes of a persistent buffer of one rank, between steps.
  /// `operand` addresses a buffer of the rank's program; `at` is a byte offset inside it.
  virtual Status readBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                           std::span<std::byte> out) = 0;
  virtual Status writeBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                            std::span<const std::byte> in) = 0;

  /// The ranks that this process runs. It has the bytes of no other rank.
  virtual plan::RankSet ranks() const = 0;
  /// Where a run is, for people: the earliest instruction that is not complete. Any thread.
  virtual std::string whereabouts() const { return {}; }
  virtual const ExecutorCounters &counters() const = 0;
  /// Of the ranks of this process.
  virtual std::span<const TraceEvent> trace() const = 0;
  /// All bytes of an arena; empty for NVMe, and for a device whose memory the host cannot read.
  virtual std::span<const std::byte> arena(int64_t rank, plan::Tier tier) const = 0;
  /// What ran in place of what was asked for ("io_uring refused: thread pool used"), one line each.
  virtual std::span<const std::string> notices() const = 0;
};

} // namespace windlass
