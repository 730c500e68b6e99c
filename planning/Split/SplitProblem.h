// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitProblem.h - how ranks share out the operations of a layer ========//
//
// Duty: the problem (the operations of one distinct layer, or of the step, the ways in which each can be
// shared out over ranks, and what is asked of the values between them), the solution (a way for each), their
// cost and text form. A value lies over ranks in one of three forms: whole, the same on all; terms, whose sum
// it is; or split, each rank with `width` of every `period` elements, row by row. Who reads asks for it
// whole, varied (whole, by an operation that each rank runs a part of: what flows back are terms), or split.
// Cost: elements that move forward and backward, plus weights times what is not shared out: operations and
// elements of parameters. It knows the model and the number of ranks and nothing of the machine, for a split
// changes sums, and may not differ between machines.
// Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

/// The version of the weights below, of the solver's choice among equals, and of the order of sums over
/// ranks. It is part of the layout's text, since another version may split equal models otherwise, or add in
/// another order. In version 2 each rank adds up gradients of whole parameters from its own rows.
inline constexpr int64_t kSplitVersion = 2;
/// The cost of one operation, and of one element of a parameter, that every rank has in full, in elements
/// that move. Tensors are shared out to make states fit, so an element of a parameter has the largest weight.
inline constexpr double kOperationWeight = 1.0 / 64, kParameterWeight = 16;

/// The placement of a value on the ranks, or the placement that a reader asks for.
struct SplitForm {
  enum class Kind { Whole, Varied, Terms, Split };
  Kind kind = Kind::Whole;
  int64_t period = 0, width = 0; ///< of a split: elements

  static SplitForm whole() { return {}; }
  static SplitForm varied() { return {Kind::Varied}; }
  static SplitForm terms() { return {Kind::Terms}; }
  static SplitForm split(int64_t period, int64_t width) { return {Kind::Split, period, width}; }
  bool isSplit() const { return kind == Kind::Split; }
  auto operator<=>(const SplitForm &) const = default;
};

struct SplitValue {
  std::string id;
  int64_t elements = 0;
  bool hasGradient = true;  ///< depends on a trained parameter
  bool isParameter = false; ///< gathering it costs as much as having it whole
};

/// One way to run an operation.
struct SplitWay {
  std::string word;                    ///< "whole", or the loop that is shared out: "n", "k", "heads"
  std::vector<SplitForm> reads, makes; ///< of the operation's values
  double notShared = 0; ///< weighted cost of operations and parameters that each rank has in full
  double moved = 0;     ///< elements that the operation itself moves
};

/// Values are indices into SplitProblem::values; each is made by one operation.
struct SplitOp {
  std::string id;
  std::vector<uint32_t> reads, makes;
  std::vector<SplitWay> ways; ///< at least one; of ways that cost the same, the first is taken
};

struct SplitProblem {
  std::vector<SplitValue> values;
  std::vector<SplitOp> ops; ///< in program order
};

struct SplitSolution {
  std::vector<size_t> ways; ///< per operation
  double cost = 0;
};

/// Well formed: every value is made once, before it is read, and every way has a form for each value.
Status checkProblem(const SplitProblem &problem);

/// Elements that move so that a value that is made in one form can be read in others.
double movedBetween(const SplitValue &value, const SplitForm &made, const std::vector<SplitForm> &asked);

/// "split:768:128", "whole". One line per value, operation and way; see test/planning/Split for the grammar
/// by example.
std::string printForm(const SplitForm &form);
std::string printSplit(const SplitProblem &problem);
Result<SplitProblem> parseSplit(std::string_view text);

} // namespace windlass::planning
