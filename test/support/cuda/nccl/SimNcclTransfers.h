// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNcclTransfers.h - bytes from rank to rank by a simulated NCCL ======//
//
// Duty: groups of calls that send and receive, as in SimNccl.h, for a program or for a collective of NCCL's
// own (SimNcclCollectives.h). Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/nccl/SimNcclGroups.h"

namespace windlass::test::sim_nccl {

uint64_t bytesOf(cuda::NcclType type);

cuda::NcclResult beginTogether();
cuda::NcclResult endTogether();
cuda::NcclResult send(const void *from, size_t count, cuda::NcclType type, int to, cuda::NcclGroup group,
                      cuda::CuStream stream);
cuda::NcclResult receive(void *to, size_t count, cuda::NcclType type, int from, cuda::NcclGroup group,
                         cuda::CuStream stream);

/// The bytes that a rank sends to another rank, or receives from it, for a collective.
struct Part {
  int other;
  bool isSend;
  Place place;
};

/// The part of one rank in a collective.
struct Collective {
  std::string name; ///< "ncclReduceScatter of type 7"; equal on all ranks
  cuda::NcclGroup group;
  cuda::CuStream stream;
  uint64_t partBytes; ///< of each part
  std::vector<Part> parts;
  SimDevice::LibraryWork end; ///< the work of the rank when it has all parts; empty: none
};

/// Makes the sends and receives of a collective.
cuda::NcclResult add(const Collective &collective);

/// The sends that programs of this process have made so far.
int64_t sends();

} // namespace windlass::test::sim_nccl
