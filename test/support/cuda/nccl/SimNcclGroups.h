// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNcclGroups.h - the groups of a simulated NCCL ======================//
//
// Duty: the groups of ranks that joined by one id, in this process and in others, and their transfers under
// way, which an abort ends. Threads: accesses to a group need `mutex`; NCCL's calls lock it themselves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"
#include "test/support/cuda/SimDevice.h"
#include "test/support/cuda/nccl/SimPost.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace windlass::test::sim_nccl {

/// The place of bytes: an address of the device, or a buffer of NCCL's own.
struct Place {
  uint64_t address = 0;
  std::shared_ptr<std::vector<std::byte>> desk = {};
};

/// Bytes from one rank to another.
struct Transfer {
  SimMarkPointer ready = std::make_shared<SimMark>(); ///< the sender's stream has come to it
  SimMarkPointer taken = std::make_shared<SimMark>();
  std::optional<Place> from, to; ///< of the sides that have called
  uint64_t bytes = 0;            ///< as the first of the two sides said, as is `purpose`
  std::string purpose = {};      ///< the collective of NCCL that it is for; empty: none
  bool isVoid = false;           ///< nothing is copied: calls disagree, or the group was aborted
  std::string letter = {};       ///< names its bytes, if one of the ranks is in another process
};

/// Ranks that joined by one id.
struct Club {
  /// The id, which names a folder. The folder exists once `post` does.
  std::string name;
  std::vector<std::string> gpus; ///< per rank; empty: the rank has not joined
  std::set<int> present;         ///< the ranks of this process
  std::unique_ptr<SimPost> post; ///< to ranks of other processes; null: not needed so far
  bool isComplete = false;       ///< all ranks have joined
  /// By sender and receiver: the number of letters sent or received.
  std::map<std::pair<int, int>, int64_t> letters;
  /// By sender and receiver: transfers that only one of both ranks has called so far.
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Transfer>>> open;
  std::vector<std::shared_ptr<Transfer>> all;
  cuda::NcclResult error = cuda::kNcclSuccess;
};

struct Seat {
  std::shared_ptr<Club> club;
  int rank;
};

extern std::mutex mutex;
/// The number of nested groups of calls that the thread has begun and not ended.
extern thread_local int depth;

/// The name of the GPU that the calling thread has entered, unique on its host.
std::string gpuHere();
/// The seat of a communicator; nothing, and a violation, if there is no such communicator.
std::optional<Seat> seatOf(cuda::NcclGroup group, const char *call);
/// The seat of a communicator for a call that must not be made while another call is in progress.
std::optional<Seat> readySeatOf(cuda::NcclGroup group, const std::string &call);
/// Postpones the calls of a rank until it asks for their state a second time; if `isStuck`, for ever.
void postpone(cuda::NcclGroup group, std::function<void()> calls, bool isStuck);

// NCCL's calls.
cuda::NcclResult uniqueId(cuda::NcclId *id);
cuda::NcclResult join(cuda::NcclGroup *group, int ranks, cuda::NcclId id, int rank, cuda::NcclJoining *how);
cuda::NcclResult leave(cuda::NcclGroup group);
cuda::NcclResult abort(cuda::NcclGroup group);
cuda::NcclResult asyncError(cuda::NcclGroup group, cuda::NcclResult *error);

/// Describes communicators that were not destroyed, and calls without a counterpart, and forgets them.
std::string leftovers();

} // namespace windlass::test::sim_nccl
