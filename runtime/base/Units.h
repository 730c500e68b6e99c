// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Units.h - sizes and rates as people write them ========================//
//
// Duty: "12MiB" <-> 12582912, "3.8GB/s" <-> 3.8e9. KB = 10^3, KiB = 2^10 bytes.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace windlass {

/// Bytes of "12MiB", "80 GB", "4096". Refuses negative, fractional-byte and overflowing sizes.
Result<int64_t> parseBytes(std::string_view text);
/// Units per second of "3.8GB/s", "110GFLOP/s", "1.9e9".
Result<double> parseRate(std::string_view text);
/// The same of `unit` alone: "B", "FLOP" or "params". A rate without a unit is one of it.
Result<double> parseRateOf(std::string_view unit, std::string_view text);
/// Seconds of "5us", "1.5ms", "2s", "0.001".
Result<double> parseSeconds(std::string_view text);

std::string formatBytes(int64_t bytes);                          ///< "3.1 MiB": three digits, binary units
std::string formatSeconds(double seconds);                       ///< "312 ms"
std::string formatRate(double perSecond, std::string_view unit); ///< "3.80 GB/s"
std::string formatCount(int64_t n);                              ///< "3,257,856"
std::string formatShape(std::span<const int64_t> shape);         ///< "2x3", "scalar"

} // namespace windlass
