// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNccl.h - NCCL without a GPU =====================================//
//
// Duty: the functions of Nccl.def: those that move bytes between two ranks, on simulated devices
// (SimDevice.h) of one process or of several that have a folder in common (SimPost.h), on one host or, as far
// as names tell hosts apart, on several; collectives that are made of these
// (SimNcclCollectives.h), and those that make and end groups of ranks. A receive runs when its stream and the
// sender's have both come to it; a send is over when its bytes were taken. What one rank sends is held
// against what the other receives, in the order of their calls; a device that joins a group twice is refused
// as NCCL refuses it. A group of calls fills its device: the next one there, of whatever communicator, begins
// when it is over, so that ranks which call in different orders wait for each other, and the driver says so.
// Calls return before they are done, and what they ask for happens only when their communicator is asked
// for errors: work that is enqueued sooner than that comes before it.
// A fault makes a group of calls hang until it is aborted. WINDLASS_SIM_NCCL in the environment says another
// release than 22809. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include <string>

namespace windlass::test {

class SimNccl {
public:
  static cuda::Nccl table();

  /// Describes ranks that are still in groups, and bytes without a receiver, and forgets them; empty: none.
  static std::string leftovers();
  /// The sends made so far, and NCCL's own collectives.
  static int64_t sends();
  static int64_t collectives();
};

} // namespace windlass::test
