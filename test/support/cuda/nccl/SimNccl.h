// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNccl.h - NCCL without a GPU ========================================//
//
// Duty: the functions of Nccl.def: those that move bytes between two ranks, on simulated devices
// (SimDevice.h) of one process, or of several processes that have a folder in common (SimPost.h), on one
// host, or on several as far as names tell hosts apart; collectives that are made of these
// (SimNcclCollectives.h); and those that make and end groups of ranks. A receive runs when its stream and the
// sender's stream have both come to it; a send is over when its bytes were taken. What one rank sends is
// compared with what the other receives, in the order of their calls. A device that joins a group twice is
// refused, as by NCCL. A group of calls fills its device: the next group on this device, of any communicator,
// begins when the first is over. So ranks that call in different orders wait for each other, which the driver
// reports. Calls return before they are done: the work is enqueued only when the communicator has then been
// asked for errors twice, so that work which was enqueued before comes first. A fault makes a group of calls
// hang until it is aborted. The variable WINDLASS_SIM_NCCL sets another release than 22809. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include <string>

namespace windlass::test {

class SimNccl {
public:
  static cuda::Nccl table();

  /// Describes ranks that are still in groups, and calls without a counterpart, and forgets them; empty if
  /// there are none.
  static std::string leftovers();
  /// The number of sends so far, and of NCCL's own collectives.
  static int64_t sends();
  static int64_t collectives();
};

} // namespace windlass::test
