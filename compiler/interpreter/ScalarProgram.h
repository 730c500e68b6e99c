// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarProgram.h - the body of a map or reduction, ready to run ========//
//
// Duty: turns a body of arith, math and the graph dialect's scalar ops into a list
// of steps over numbered slots once, and runs it for some iterations at a time.
// Integers and booleans are held as f64, exactly.
// Errors: an op it does not know is a Status.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace windlass::interpreter {

class ScalarProgram {
public:
  static Result<ScalarProgram> compile(mlir::Block &body, bool roundToTypes);

  /// The most iterations of one run.
  static constexpr int64_t kLanes = 64;
  /// One value in each of them.
  using Lanes = std::array<double, kLanes>;

  /// The lanes of an argument of the body, by its number.
  double *argument(unsigned number) { return slots[number].data(); }
  /// Computes the yields of the body from the arguments, in `count` iterations of the last loop, the first of
  /// them at index `first`.
  void run(llvm::ArrayRef<int64_t> first, int64_t count);
  const double *yielded(unsigned number) const { return slots[yields[number]].data(); }

  using Function =
      std::function<void(const Lanes &, const Lanes &, const Lanes &, Lanes &result, int64_t count)>;

private:
  /// A table of literals, and the slots of its indices.
  struct Table {
    std::vector<double> values;
    std::vector<std::pair<unsigned, int64_t>> indices; ///< slot, stride
  };
  struct Step {
    Function function; ///< empty for scalar ops of the graph dialect
    unsigned operands[4] = {0, 0, 0, 0};
    unsigned result = 0;
    unsigned loop = 0;                   ///< of graph.index
    std::shared_ptr<const Table> lookup; ///< of graph.lookup
    bool isRandom = false;
    mlir::Type rounding; ///< null if the result is kept as it is
  };

  unsigned newSlot(mlir::Value value);
  Result<std::shared_ptr<const Table>> makeTable(mlir::Operation *lookup) const;
  void evaluate(const Step &step, llvm::ArrayRef<int64_t> first, int64_t count);

  std::vector<Step> steps;
  std::vector<Lanes> slots;
  std::vector<unsigned> yields;
  llvm::DenseMap<mlir::Value, unsigned> slotOf;
};

} // namespace windlass::interpreter
