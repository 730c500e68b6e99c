// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Printed.h - numbers as a paper prints them ============================//
//
// Duty: writes numbers with the digits that a publication prints, so that tests can compare formulas with it.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace windlass::model {

inline constexpr double kKi = 1024, kGi = kKi * kKi * kKi, kTi = kGi * kKi;
inline constexpr double kG = 1e9, kT = 1e12;

/// The number of digits after the point of a printed number.
inline int decimals(const std::string &printed) {
  size_t point = printed.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
}

inline std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// `value` with as many decimals as `printed`; a half is rounded up.
inline std::string rounded(double value, const std::string &printed) {
  double scale = std::pow(10, decimals(printed));
  return fixed(std::floor(value * scale + 0.5) / scale, decimals(printed));
}

/// `value` with as many decimals as `printed`; further digits are cut off.
inline std::string cut(double value, const std::string &printed) {
  double scale = std::pow(10, decimals(printed));
  return fixed(std::floor(value * scale) / scale, decimals(printed));
}

} // namespace windlass::model
