// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimPost.h - bytes between processes, by way of a folder ============//
//
// Duty: how ranks of one simulated communicator (SimNccl.h) that live in several processes of a machine find
// each other and hand bytes over: each rank puts up a sign with its GPU, and a letter is a file that its
// receiver removes when it has read it. A thread is told by the system when letters came, or were taken.
// Whoever leaves last removes the folder. Threads: any. Ownership: marks are completed as long as this lives.
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
  /// The folder need not be there.
  explicit SimPost(std::string folder);
  ~SimPost();

  void putUpSign(int rank, const std::string &gpu);
  void takeDownSign(int rank);
  /// The GPU of each rank, once all have put up their signs; none before.
  std::optional<std::vector<std::string>> signs(size_t ranks) const;

  void send(const std::string &letter, std::span<const std::byte> bytes);
  /// Completes the mark when the letter is there, or when it is there no more.
  void awaitComing(const std::string &letter, const SimMarkPointer &mark);
  void awaitTaking(const std::string &letter, const SimMarkPointer &mark);
  /// Of a letter that is there.
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
  const int changes, wakeup; ///< the folder's, as the system tells of them; something is awaited from now on
  std::mutex mutex;
  std::vector<Watched> watched;
  std::jthread watcher;
};

} // namespace windlass::test
