// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestHost.h - a host with pseudo-random feeds ==========================//
//
// Duty: feeds every item with numbers that depend on item, rank, micro-batch and step alone, keeps a
// fingerprint of the reports of each rank, and fails at a chosen item and rank.
// Threads: as StepHost.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include <atomic>
#include <cstring>
#include <functional>
#include <vector>

namespace windlass::test {

class TestHost final : public StepHost {
public:
  explicit TestHost(int64_t ranks) : fingerprints(ranks, 1), reports(ranks, 0) {}

  int64_t step = 0;
  std::string failingItem; ///< empty: none
  int64_t failingRank = 0;

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    if (fails(request))
      return Status::runFailed("no more data");
    const int64_t whose =
        request.item == "learning_rate" ? 0 : request.rank; // all ranks get the same scalar of a step
    uint64_t state = std::hash<std::string_view>()(request.item) + 1000003 * whose +
                     7919 * request.microBatch + 104729 * step;
    for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      float value = static_cast<float>(static_cast<int32_t>(state >> 32)) / 2147483648.0f * 0.25f;
      std::memcpy(bytes.data() + at, &value, sizeof(value));
    }
    return Status::ok();
  }

  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    if (fails(request))
      return Status::runFailed("the loss is not finite");
    uint64_t &print = fingerprints[request.rank];
    for (std::byte b : bytes)
      print = (print ^ static_cast<uint64_t>(b)) * 1099511628211u;
    print += request.microBatch;
    ++reports[request.rank];
    return Status::ok();
  }

  std::vector<uint64_t> fingerprints; ///< per rank, of all reports so far in their order
  std::vector<int64_t> reports;

private:
  bool fails(const ItemRequest &request) const {
    return request.item == failingItem && request.rank == failingRank;
  }
};

} // namespace windlass::test
