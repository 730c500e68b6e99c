// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Formula.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace windlass::onnx {
namespace {

constexpr double kHides = 1e4; ///< numbers of this size or more hide scores

bool isHidden(double value) { return !(std::abs(value) < kHides); }

/// Numbers `stride` apart.
struct Line {
  const double *first;
  int64_t count, stride;

  double at(int64_t i) const { return first[i * stride]; }
  bool isWhole(int64_t i) const { return !isHidden(at(i - 1)) && !isHidden(at(i)) && !isHidden(at(i + 1)); }
};

/// Tolerances of the rule x[i - 1] + x[i + 1] = slope * x[i] + offset along a line, with the best slope and
/// offset (`fit`). The rule holds for constants, counts, sines, powers of a factor, and windows of sines.
/// Distances count down and then up: such a line is straight on both sides of one element (`straight`).
struct Tolerance {
  double fit, straight; ///< as shares of the largest number
};

struct Fit {
  int64_t spare = 0; ///< equations beyond the two that slope and offset can always fulfil
  bool holds = true;
  bool isStill = true; ///< one number throughout: copies, which say nothing
};

Fit fitOf(const Line &line, const Tolerance &tolerance) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0, largest = 0;
  for (int64_t i = 1; i + 1 < line.count; ++i)
    if (line.isWhole(i)) {
      const double inner = line.at(i), outer = line.at(i - 1) + line.at(i + 1);
      count += 1, x += inner, y += outer, xx += inner * inner, xy += inner * outer;
      largest = std::max({largest, std::abs(inner), std::abs(outer)});
    }
  const double spread = count * xx - x * x;
  const double slope = spread > 0 ? (count * xy - x * y) / spread : 0;
  const double offset = count > 0 ? (y - slope * x) / count : 0;
  Fit fit;
  int64_t turns = 0;
  fit.spare = std::max<int64_t>(0, static_cast<int64_t>(count) - 2);
  for (int64_t i = 1; i + 1 < line.count; ++i)
    if (line.isWhole(i)) {
      const double outer = line.at(i - 1) + line.at(i + 1);
      fit.holds &= std::abs(outer - slope * line.at(i) - offset) <= tolerance.fit * largest;
      turns += std::abs(outer - 2 * line.at(i)) > tolerance.straight * largest;
      fit.isStill &= line.at(i) == line.at(i - 1) && line.at(i) == line.at(i + 1);
    }
  fit.holds |= turns <= 1;
  return fit;
}

/// The fit of all lines along a dimension together.
Fit fitAlong(const Literal &literal, size_t dim, const Tolerance &tolerance) {
  const int64_t stride = stridesOf(literal.shape)[dim], count = literal.shape[dim];
  Fit all;
  for (int64_t at = 0; at < literal.size(); ++at)
    if (at / stride % count == 0) {
      const Fit one = fitOf({literal.reals.data() + at, count, stride}, tolerance);
      all.spare += one.spare;
      all.holds &= one.holds;
      all.isStill &= one.isStill;
    }
  return all;
}

} // namespace

Origin originOf(const Literal &literal) {
  constexpr int64_t kLeastSpare = 3;
  constexpr size_t kNumbersOfMask = 2;
  const bool isWide = literal.type == DataType::Float || literal.type == DataType::Double;
  const Tolerance tolerance = isWide ? Tolerance{4e-3, 1e-4} : Tolerance{2e-2, 2e-2};
  std::set<double> numbers;
  for (size_t i = 0; i < literal.reals.size() && numbers.size() <= kNumbersOfMask; ++i)
    if (!isHidden(literal.reals[i]))
      numbers.insert(literal.reals[i]);
  if (literal.isUniform())
    return Origin::Unknown;
  if (numbers.size() <= kNumbersOfMask)
    return Origin::Formula;
  bool isKnown = false;
  for (size_t dim = 0; dim < literal.shape.size(); ++dim)
    if (const Fit fit = fitAlong(literal, dim, tolerance); fit.spare >= kLeastSpare && !fit.isStill) {
      if (fit.holds)
        return Origin::Formula;
      isKnown = true;
    }
  return isKnown ? Origin::Learned : Origin::Unknown;
}

} // namespace windlass::onnx
