// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RandomMachine.h - small machines from seeds ===========================//
//
// Duty: draws hardware files for models of some hundred KiB from seeds, so that a failure can be repeated.
// Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/EndToEnd.h"
#include <cmath>
#include <random>

namespace windlass::test {

/// Draws integers evenly on a logarithmic scale.
class Draw {
public:
  explicit Draw(uint32_t seed) : random(seed) {}
  std::string between(double least, double most, const std::string &unit) {
    const double part = static_cast<double>(random() % 1000) / 999;
    return std::to_string(static_cast<int64_t>(least * std::pow(most / least, part))) + unit;
  }
  size_t below(size_t count) { return random() % count; }

private:
  std::mt19937 random;
};

inline json drawMachine(Draw &draw, int64_t ranks) {
  json machine = roomyMachine(ranks);
  machine["device"] = {{"capacity", draw.between(500, 4000, "KiB")},
                       {"flops", {{"f32", draw.between(10, 500, "GFLOP/s")}}},
                       {"bandwidth", draw.between(5, 50, "GB/s")}};
  machine["host"]["capacity"] = draw.between(1500, 16000, "KiB");
  machine["nvme"]["read"] = draw.between(100, 5000, "MB/s");
  machine["nvme"]["write"] = draw.between(100, 5000, "MB/s");
  machine["links"]["cg"] = {{"in", draw.between(200, 20000, "MB/s")},
                            {"out", draw.between(200, 20000, "MB/s")}};
  machine["links"]["gg"] = {{"bandwidth", draw.between(100, 20000, "MB/s")},
                            {"latency", draw.between(1, 200, "us")}};
  return machine;
}

} // namespace windlass::test
