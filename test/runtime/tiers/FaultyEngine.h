// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FaultyEngine.h - an engine with faults from a seed ====================//
//
// Duty: stands between a queue and a real engine. Some blocks, drawn from the seed, move fewer bytes than
// asked for, or complete with an error although the real engine moved their bytes.
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
  int64_t ragged = 0;    ///< bytes that a short block reports beyond the whole sectors that it moved
  double errors = 0;     ///< share of blocks that report an error
  int error = 5;         ///< the errno that they report (5: EIO); 0: they report 0 bytes and no error
  int64_t sound = 0;     ///< the number of first blocks without a fault
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
