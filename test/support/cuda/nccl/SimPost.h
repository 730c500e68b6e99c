// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimPost.h - transfers between processes by files ======================//
//
// Duty: connects the ranks of one simulated communicator (SimNccl.h) in several processes of a machine by
// files in a shared folder. Each rank writes a sign, a file with its GPU. A letter is a file with bytes,
// which its receiver removes after reading. The system notifies a thread when letters arrive or are taken.
// The last rank that leaves removes the folder. Threads: any. Ownership: marks are completed during the life
// of this object only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimTimeline.h"
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace windlass::test {

class SimPost {
public:
  /// Creates the folder if it does not exist.
  explicit SimPost(std::string folder);
  ~SimPost();

  void putUpSign(int rank, const std::string &gpu);
  void takeDownSign(int rank);
  /// The GPU of each rank; nothing until all ranks have written their signs.
  std::optional<std::vector<std::string>> signs(size_t ranks) const;

  void send(const std::string &letter, std::span<const std::byte> bytes);
  /// Completes the mark when the letter has arrived, or (the next function) when it has been taken.
  void awaitComing(const std::string &letter, const SimMarkPointer &mark);
  void awaitTaking(const std::string &letter, const SimMarkPointer &mark);
  /// Reads and removes a letter that has arrived.
  std::vector<std::byte> take(const std::string &letter);

private:
  struct Watched {
    std::string path;
    SimMarkPointer mark;
    bool isToCome;
  };

  std::string pathOf(const std::string &letter) const { return folder + "/" + letter; }
  std::string signOf(size_t rank) const { return folder + "/rank" + std::to_string(rank); }
  void await(Watched one);
  void wake() const;
  void watch(const std::stop_token &stopping);
  std::vector<SimMarkPointer> happened();

  const std::string folder;
  /// Descriptors: `changes` reports changes of the folder; `wakeup` wakes the watcher.
  const int changes, wakeup;
  std::mutex mutex;
  std::vector<Watched> watched;
  std::jthread watcher;
};

} // namespace windlass::test
