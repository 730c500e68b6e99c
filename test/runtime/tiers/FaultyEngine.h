// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FaultyEngine.h - an engine that fails on purpose, from a seed =======//
//
// Duty: stands between a queue and a real engine; completions it picks come
// back short, or as an error that never reached the disk.
// Threads: as BlockEngine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tiers/BlockEngine.h"
#include <map>
#include <mutex>
#include <random>

namespace windlass::test {

struct Faults {
  uint64_t seed = 1;
  double shortMoves = 0; ///< share of blocks that move fewer bytes than asked for
  int64_t ragged = 0;    ///< as many bytes more than whole sectors do these say they moved
  double errors = 0;     ///< share of blocks that fail
  int error = 5;         ///< the errno they fail with (5: EIO); 0: no byte moves, and nothing is said
  int64_t sound = 0;     ///< as many blocks come first that nothing befalls
};

class FaultyEngine final : public BlockEngine {
public:
  FaultyEngine(std::unique_ptr<BlockEngine> real, const Faults &faults)
      : real(std::move(real)), faults(faults), random(faults.seed) {}

  Status submit(const Block &block) override {
    std::lock_guard lock(mutex);
    Block sent = block;
    failing[block.tag] = false;
    ragged[block.tag] = 0;
    if (submitted++ < faults.sound)
      return real->submit(sent);
    std::uniform_real_distribution<double> dice(0, 1);
    failing[block.tag] = dice(random) < faults.errors;
    if (dice(random) < faults.shortMoves && block.bytes > kStep) {
      sent.bytes = kStep * (1 + random() % (block.bytes / kStep));
      ragged[block.tag] = sent.bytes < block.bytes ? faults.ragged : 0;
    }
    return real->submit(sent);
  }

  Result<BlockResult> wait() override {
    Result<BlockResult> result = real->wait();
    std::lock_guard lock(mutex);
    if (result && result->tag != BlockResult::kInterrupted && failing[result->tag])
      result->result = -faults.error;
    else if (result && result->tag != BlockResult::kInterrupted && result->result > 0)
      result->result += ragged[result->tag];
    return result;
  }

  Status interrupt() override { return real->interrupt(); }

private:
  static constexpr int64_t kStep = 4096;
  std::unique_ptr<BlockEngine> real;
  Faults faults;
  std::mutex mutex;
  std::mt19937_64 random;
  std::map<uint64_t, bool> failing;
  std::map<uint64_t, int64_t> ragged;
  int64_t submitted = 0;
};

} // namespace windlass::test
