// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNcclGroups.h - who is in which group of a simulated NCCL ========//
//
// Duty: ranks that joined by one id, in this process and in others, and what a group has under way, which an
// abort ends. Threads: who reads or writes a group holds `mutex`; calls of NCCL's take it themselves.
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

/// Where bytes lie: at an address of the device's, or at a desk of NCCL's own.
struct Place {
  uint64_t address = 0;
  std::shared_ptr<std::vector<std::byte>> desk = {};
};

/// Bytes from one rank to another.
struct Transfer {
  SimMarkPointer ready = std::make_shared<SimMark>(); ///< the sender's stream has come to it
  SimMarkPointer taken = std::make_shared<SimMark>();
  std::optional<Place> from, to; ///< of who has called
  uint64_t bytes = 0;            ///< as the first of the two said, as is the next
  std::string purpose = {};      ///< which collective of NCCL's it is for; empty: none
  bool isVoid = false;           ///< nothing is copied: calls disagree, or the group was aborted
  std::string letter = {};       ///< where one of the two is in another process
};

/// Ranks that joined by one id.
struct Club {
  std::string name;              ///< the id: a folder, which is there where ranks live in several processes
  std::vector<std::string> gpus; ///< per rank; empty: not there yet
  std::set<int> present;         ///< of this process
  std::unique_ptr<SimPost> post; ///< to ranks of other processes; null: there are none
  bool isComplete = false;       ///< all have joined
  std::map<std::pair<int, int>, int64_t> letters; ///< how many were sent from one to another, or received
  /// Of two ranks, what the slower of them has not called yet.
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Transfer>>> open;
  std::vector<std::shared_ptr<Transfer>> all;
  cuda::NcclResult error = cuda::kNcclSuccess;
};

struct Seat {
  std::shared_ptr<Club> club;
  int rank;
};

extern std::mutex mutex;
/// How many times the thread has begun a group of calls that it has not ended.
extern thread_local int depth;

/// The GPU that the calling thread has entered, as hosts tell theirs apart.
std::string gpuHere();
/// Of a communicator; null where there is no such, which is a violation.
std::optional<Seat> seatOf(cuda::NcclGroup group, const char *call);
/// The same for a call that wants nothing to be in progress.
std::optional<Seat> readySeatOf(cuda::NcclGroup group, const std::string &call);
/// What a rank asked for, which is made when it asks a second time whether it is; never, where it is stuck.
void postpone(cuda::NcclGroup group, std::function<void()> calls, bool isStuck);

// NCCL's calls.
cuda::NcclResult uniqueId(cuda::NcclId *id);
cuda::NcclResult join(cuda::NcclGroup *group, int ranks, cuda::NcclId id, int rank, cuda::NcclJoining *how);
cuda::NcclResult leave(cuda::NcclGroup group);
cuda::NcclResult abort(cuda::NcclGroup group);
cuda::NcclResult asyncError(cuda::NcclGroup group, cuda::NcclResult *error);

/// Communicators that nobody left, and calls that nobody answered, for people; they are forgotten.
std::string leftovers();

} // namespace windlass::test::sim_nccl
