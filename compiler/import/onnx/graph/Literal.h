// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Literal.h - a tensor whose elements are known =========================//
//
// Duty: holds tensors that are known before the run: shapes, masks and tables. Numbers of an f32 tensor are
// rounded to f32 after every operation, as in the exporter's framework; half types are treated as f32. Units:
// elements, row-major. Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::onnx {

using Shape = std::vector<int64_t>;

/// Element types, with ONNX's numbers.
enum class DataType : uint8_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  BFloat16 = 16,
};

/// Whether a number of the file is one of the types above, other than Undefined.
bool isDataType(int64_t number);
std::string_view wordOf(DataType type);
int64_t bytesOf(DataType type);
bool isFloat(DataType type);

int64_t elementsOf(const Shape &shape);
/// "16x32", "scalar" for rank 0.
std::string describe(const Shape &shape);
/// The shape without its leading dimensions of 1.
Shape withoutLeadingOnes(const Shape &shape);
/// Row-major distances between neighbours in each dimension.
Shape stridesOf(const Shape &shape);

/// The most elements that are computed before the run: a mask of 2048 x 2048.
constexpr int64_t kMostLiteral = int64_t(1) << 22;

struct Literal {
  DataType type = DataType::Undefined;
  Shape shape;
  std::vector<double> reals;     ///< of a float type
  std::vector<int64_t> integers; ///< of any other

  static Literal ofIntegers(std::vector<int64_t> values, DataType type = DataType::Int64);
  static Literal filled(DataType type, Shape shape, double value);

  bool isFloat() const { return onnx::isFloat(type); }
  int64_t size() const { return elementsOf(shape); }
  double real(int64_t i) const {
    return isFloat() ? reals[static_cast<size_t>(i)] : static_cast<double>(integers[static_cast<size_t>(i)]);
  }
  /// Stores a value in the tensor's type: rounded, or wrapped around.
  void set(int64_t i, double value);
  void setInteger(int64_t i, int64_t value);
  /// The same elements in another shape with as many elements.
  Literal reshaped(Shape other) const;
  /// Element i is element `from[i]` of this one.
  Literal picked(Shape shape, const std::vector<int64_t> &from) const;
  /// Whether all elements are the same.
  bool isUniform() const;
};

/// Calls `visit(index)` for every index of a shape, in row-major order.
template <typename Visit> void forEachIndex(const Shape &shape, Visit visit) {
  Shape index(shape.size(), 0);
  for (int64_t count = elementsOf(shape); count > 0; --count) {
    visit(index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// Offsets into a tensor of `shape` for each element of `result`, to which it is broadcast as numpy does.
std::vector<int64_t> broadcastOffsets(const Shape &shape, const Shape &result);

} // namespace windlass::onnx
