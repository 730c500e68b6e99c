// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Formula.h - operators written as several operations ===================//
//
// Duty: writes operations of graph JSON whose results have no name in the ONNX file. Values are identified by
// their names in the document. Threads: one document, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/operators/Writer.h"

namespace windlass::onnx {

class Formula {
public:
  explicit Formula(Writer &writer) : writer(writer) {}

  /// An operation without keys.
  std::string apply(const char *op, std::vector<std::string> in) {
    return writer.intermediate({{"op", op}, {"in", std::move(in)}});
  }
  /// The number, as a tensor that broadcasts to any shape.
  std::string number(double value, const char *type = "f32") { return full(value, {1}, type); }
  std::string full(double value, const Shape &shape, const char *type = "f32") {
    nlohmann::json json = {{"op", "constant"}, {"value", value}, {"type", type}, {"shape", shape}};
    if (type != std::string_view("f32"))
      json["value"] = static_cast<int64_t>(value);
    return writer.intermediate(std::move(json));
  }
  std::string add(const std::string &x, const std::string &y) { return apply("add", {x, y}); }
  std::string sub(const std::string &x, const std::string &y) { return apply("sub", {x, y}); }
  std::string mul(const std::string &x, const std::string &y) { return apply("mul", {x, y}); }
  std::string div(const std::string &x, const std::string &y) { return apply("div", {x, y}); }
  std::string where(const std::string &condition, const std::string &x, const std::string &y) {
    return apply("where", {condition, x, y});
  }
  /// "max" or "min" of a value and a bound. If they are equal, the bound gets the gradient.
  std::string bounded(const char *kind, const std::string &x, const std::string &bound) {
    return writer.intermediate({{"op", kind}, {"in", {x, bound}}, {"ties", "y"}});
  }
  std::string reduce(const char *kind, const std::string &x, const std::vector<int64_t> &dims, bool keep) {
    return writer.intermediate(
        {{"op", "reduce"}, {"in", {x}}, {"kind", kind}, {"dims", dims}, {"keep", keep}});
  }
  /// The maxima of windows that do not overlap; the first maximum of a window gets the gradient.
  std::string maxPool(const std::string &x, const Shape &window) {
    return writer.intermediate({{"op", "max_pool"}, {"in", {x}}, {"kernel", window}, {"strides", window}});
  }
  /// The index of each element of a matrix of zeros in dimension `dim`.
  std::string positions(int64_t rows, int64_t columns, int64_t dim) {
    return writer.intermediate(
        {{"op", "positions"}, {"in", {full(0, {rows, columns}, "i32")}}, {"dim", dim}});
  }
  std::string cast(const std::string &x, const char *type) {
    return writer.intermediate({{"op", "cast"}, {"in", {x}}, {"type", type}});
  }
  std::string matrix(const std::vector<std::vector<double>> &rows) {
    return writer.intermediate({{"op", "constant"}, {"value", rows}});
  }
  std::string expand(const std::string &x, const Shape &shape) {
    return writer.intermediate({{"op", "expand"}, {"in", {x}}, {"shape", shape}});
  }
  std::string reshape(const std::string &x, const Shape &shape) {
    return writer.intermediate({{"op", "reshape"}, {"in", {x}}, {"shape", shape}});
  }

private:
  Writer &writer;
};

} // namespace windlass::onnx
