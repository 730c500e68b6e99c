// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tensor.h - a tensor of the interpreter ================================//
//
// Duty: a shape and its elements in row-major order, all held as f64 (integers
// below 2^53 are exact), and rounding to the types of the IR.
// Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <vector>

namespace windlass::interpreter {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  Tensor(std::vector<int64_t> shape, std::vector<double> data)
      : shape(std::move(shape)), data(std::move(data)) {}
  /// Full of `value`.
  explicit Tensor(llvm::ArrayRef<int64_t> shape, double value = 0.0)
      : shape(shape), data(llvm::product_of(shape), value) {}

  int64_t size() const { return static_cast<int64_t>(data.size()); }
  bool operator==(const Tensor &) const = default;
};

/// `value` as a scalar of `type` holds it: f32, bf16 and f16 round to nearest even; other types keep it.
double roundTo(double value, mlir::Type type);
/// Every one of them rounded to `type`.
void roundTo(llvm::MutableArrayRef<double> values, mlir::Type type);
inline void roundTo(Tensor &tensor, mlir::Type element) { roundTo(tensor.data, element); }

} // namespace windlass::interpreter
