// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConcurrentExecutor.h - all lanes of all ranks at once =================//
//
// Duty: one thread per rank and used lane (two for an NVMe lane, and for one whose
// device has streams); the plan's waits are the only order between them. A
// failure in any lane stops all, and so does a device that hangs, or whoever calls `stop`.
// Ranks of other processes take part in collectives and messages alone.
// Threads: one caller. Errors: the first failure, with rank, lane and instruction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/DeviceWatch.h"
#include "runtime/executor/ExecutorBase.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/executor/Workforce.h"
#include "runtime/transport/MeshTransport.h"

namespace windlass {

class ConcurrentExecutor final : public ExecutorBase {
public:
  static Result<std::unique_ptr<Executor>> create(ExecutorParts parts);
  ConcurrentExecutor(ExecutorParts parts, LaneStreams streams, MeshTransport transport);

  std::string whereabouts() const override { return state.whereabouts(); }
  void stop(const Status &why) override;

protected:
  Status walk(plan::Purpose purpose, StepHost &host) override;

private:
  Status addLane(int64_t rank, plan::Lane lane);
  void look();

  MeshTransport transport;
  RunState state;
  DeviceWatch watch;
  const std::function<void()> looking = [this] { look(); };
  std::mutex mutex; ///< of the reason
  Status stopped;   ///< ok: nobody has
  std::vector<std::unique_ptr<LaneRunner>> lanes;
  LaneStreams streams; ///< declared after all that work on the streams uses
  Workforce workforce; ///< last: its threads end first
};

} // namespace windlass
