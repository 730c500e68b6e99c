// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/codegen/device/DeviceCases.h"

#include <algorithm>

namespace windlass::codegen::test {
namespace {

std::string tensor(const std::vector<int64_t> &extents, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// A kernel with one op. Its arguments %a, %b, ... have the types of the operands, in order.
std::string kernelOf(const std::string &name, const std::string &op, const std::vector<std::string> &operands,
                     const std::vector<std::string> &results) {
  auto joined = [](const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : ", ") + word;
    return text;
  };
  std::vector<std::string> arguments, values;
  for (size_t number = 0; number < operands.size(); ++number)
    arguments.push_back(std::string("%") + static_cast<char>('a' + number) + ": " + operands[number]);
  for (size_t number = 0; number < results.size(); ++number)
    values.push_back("%r" + std::to_string(number));
  return "func.func @" + name + "(" + joined(arguments) + ") -> (" + joined(results) + ") {\n " +
         joined(values) + " = " + op + "\n return " + joined(values) + " : " + joined(results) + "\n}\n";
}

/// The loops of a sum over some dimensions.
struct Loops {
  std::string names, over; ///< such as "d0, d1" and "1"
  std::vector<int64_t> kept;

  Loops(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims) {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      names += (dim ? ", d" : "d") + std::to_string(dim);
      if (std::find(dims.begin(), dims.end(), dim) == dims.end())
        kept.push_back(shape[dim]);
    }
    for (int64_t dim : dims)
      over += (over.empty() ? "" : ", ") + std::to_string(dim);
  }
};

std::string layerNormGradient(int64_t rows, int64_t columns) {
  const std::string x = tensor({rows, columns}), c = tensor({columns}), r = tensor({rows});
  return kernelOf("gradient",
                  "graph.layer_norm_grad %a, %b, %c, %d, %e : " + x + ", " + x + ", " + c + ", " + r + ", " +
                      r + " -> " + x,
                  {x, x, c, r, r}, {x});
}

std::string softmax(int64_t n, const std::string &what) {
  const std::string x = tensor({2, 3, n, n}), m = tensor({2, 1, 1, n}), r = tensor({2, 3, n});
  return kernelOf("softmax",
                  "graph.softmax %a mask(%b : " + m + ") " + what + " {scale = 0.5 : f64} : " + x + " -> " +
                      x + ", " + r,
                  {x, m}, {x, r});
}

std::string crossEntropy(int64_t rows, int64_t n, const std::string &element = "f32") {
  const std::string x = tensor({rows, n}, element), l = tensor({rows}, "i64"), r = tensor({rows});
  return kernelOf("loss", "graph.cross_entropy %a, %b : " + x + ", " + l + " -> " + r + ", " + r, {x, l},
                  {r, r}) +
         kernelOf("gradient",
                  "graph.cross_entropy_grad %a, %b, %c, %d : " + r + ", " + x + ", " + l + ", " + r + " -> " +
                      x,
                  {r, x, l, r}, {x});
}

/// A map and a sum read rows with a pitch, and one kernel writes such rows.
const char *const kRowsApart = R"(
func.func @bias(%x: tensor<24x77xbf16, #graph.pitch<80>>, %b: tensor<77xbf16>) -> tensor<24x77xf32> {
  %r = graph.map ins(%x, %b : tensor<24x77xbf16, #graph.pitch<80>>, tensor<77xbf16>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>] -> tensor<24x77xf32> {
  ^bb0(%e: bf16, %f: bf16):
    %s = arith.addf %e, %f : bf16
    %w = arith.extf %s : bf16 to f32
    graph.yield %w : f32
  }
  return %r : tensor<24x77xf32>
}
func.func @apart(%x: tensor<24x77xf32>) -> tensor<24x77xf32, #graph.pitch<96>> {
  %r = graph.map ins(%x : tensor<24x77xf32>) maps [affine_map<(i, j) -> (i, j)>]
      -> tensor<24x77xf32, #graph.pitch<96>> {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    graph.yield %s : f32
  }
  return %r : tensor<24x77xf32, #graph.pitch<96>>
}
)";
const char *const kColumnsOfRowsApart = R"(
func.func @columns(%x: tensor<70x77xbf16, #graph.pitch<80>>) -> tensor<77xf32> {
  %r = graph.reduce sum over [0] ins(%x : tensor<70x77xbf16, #graph.pitch<80>>)
      maps [affine_map<(i, j) -> (i, j)>] -> tensor<77xf32> {
  ^bb0(%e: bf16):
    %w = arith.extf %e : bf16 to f32
    graph.yield %w : f32
  }
  return %r : tensor<77xf32>
}
)";

const char *const kWindows = R"(
func.func @largest(%x: tensor<2x9x20xf32>) -> tensor<2x4x18xf32> {
  %r = graph.reduce max over [2, 3] of [2, 4, 3, 3, 18] ins(%x : tensor<2x9x20xf32>)
      maps [affine_map<(n, i, k, l, j) -> (n, i * 2 + k, j + l)>] -> tensor<2x4x18xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<2x4x18xf32>
}
)";

std::string counts(int64_t columns) {
  const std::string x = tensor({5, columns}, "i64"), r = tensor({5}, "i64");
  return "func.func @count(%x: " + x + ") -> " + r + " {\n %r = graph.reduce sum over [1] ins(%x : " + x +
         ") maps [affine_map<(i, j) -> (i, j)>] -> " + r +
         " {\n ^bb0(%a: i64):\n graph.yield %a : i64\n }\n return %r : " + r + "\n}\n";
}

std::string embeddingParts(const std::string &element) {
  const std::string t = tensor({6, 36}, element), i = tensor({8}, "i32"), y = tensor({8, 36}, element);
  return kernelOf("first", "graph.embedding %a from 0, %b : " + t + ", " + i + " -> " + y, {t, i}, {y}) +
         kernelOf("second",
                  "graph.embedding %a from 6, %b onto(%c : " + y + ") : " + t + ", " + i + " -> " + y,
                  {t, i, y}, {y});
}

std::string stacks(const std::string &element) {
  const std::string q = tensor({2, 3, 5, 16}, element), y = tensor({2, 5, 3, 3, 16}, element);
  return kernelOf("merge",
                  "graph.stack axis 2 ins(%a, %b, %c : " + q + ", " + q + ", " + q +
                      ") map affine_map<(b, s, c, h, d) -> (b, h, s, d)> -> " + y,
                  {q, q, q}, {y});
}

const char *const kStackedRows = R"(
func.func @rows(%x: tensor<2x20xf32>, %y: tensor<3x20xf32>) -> tensor<5x20xf32> {
  %r = graph.stack axis 0 ins(%x, %y : tensor<2x20xf32>, tensor<3x20xf32>) map affine_map<(i, j) -> (i, j)>
      -> tensor<5x20xf32>
  return %r : tensor<5x20xf32>
}
)";

const char *const kStackedColumns = R"(
func.func @columns(%x: tensor<4x17xf32>, %y: tensor<4x1xf32>, %z: tensor<4x3xf32>) -> tensor<4x21xf32> {
  %r = graph.stack axis 1 ins(%x, %y, %z : tensor<4x17xf32>, tensor<4x1xf32>, tensor<4x3xf32>)
      map affine_map<(i, j) -> (i, j)> -> tensor<4x21xf32>
  return %r : tensor<4x21xf32>
}
)";

} // namespace

std::string sumOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                  const std::string &element, const std::string &result) {
  const Loops loops(shape, dims);
  const std::string x = tensor(shape, element), r = tensor(loops.kept, result);
  const std::string widen = element == result ? " %w = arith.addf %a, %a : " + result + "\n"
                                              : " %w = arith.extf %a : " + element + " to " + result + "\n";
  return "func.func @sum(%x: " + x + ") -> " + r + " {\n %r = graph.reduce sum over [" + loops.over +
         "] ins(%x : " + x + ") maps [affine_map<(" + loops.names + ") -> (" + loops.names + ")>] -> " + r +
         " {\n ^bb0(%a: " + element + "):\n" + widen + " %y = arith.mulf %w, %w : " + result +
         "\n graph.yield %y : " + result + "\n }\n return %r : " + r + "\n}\n";
}

std::string scaledRows(int64_t rows, int64_t columns) {
  const std::string x = tensor({rows, columns}), r = tensor({rows});
  return "#all = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> (i)>\nfunc.func @scaled(%x: " + x +
         ", %m: " + r + ") -> (" + x + ", " + r + ") {\n %s = graph.reduce sum over [1] ins(%x, %m : " + x +
         ", " + r + ") maps [#all, #row] -> " + r + " {\n ^bb0(%a: f32, %b: f32):\n" +
         " %p = arith.mulf %a, %b : f32\n graph.yield %p : f32\n }\n %y = graph.map ins(%x, %m, %s : " + x +
         ", " + r + ", " + r + ") maps [#all, #row, #row] -> " + x +
         " {\n ^bb0(%a: f32, %b: f32, %c: f32):\n %p = arith.mulf %a, %b : f32\n" +
         " %d = arith.subf %p, %c : f32\n graph.yield %d : f32\n }\n return %y, %s : " + x + ", " + r +
         "\n}\n";
}

std::string pairsOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                    const std::string &element) {
  const Loops loops(shape, dims);
  const std::string x = tensor(shape, element), m = tensor({shape[0]}), r = tensor(loops.kept, element);
  const std::string widen =
      element == "f32" ? " %w = arith.addf %a, %a : f32\n" : " %w = arith.extf %a : " + element + " to f32\n";
  const std::string narrow = element == "f32" ? " %y = arith.addf %p, %p : f32\n"
                                              : " %y = arith.truncf %p : f32 to " + element + "\n";
  return "func.func @pairs(%x: " + x + ", %m: " + m + ") -> (" + r + ", " + r +
         ") {\n %r:2 = graph.reduce sum over [" + loops.over + "] ins(%x, %m : " + x + ", " + m +
         ") maps [affine_map<(" + loops.names + ") -> (" + loops.names + ")>, affine_map<(" + loops.names +
         ") -> (d0)>] -> " + r + ", " + r + " {\n ^bb0(%a: " + element + ", %b: f32):\n" + widen +
         " %p = arith.mulf %w, %b : f32\n" + narrow + " graph.yield %a, %y : " + element + ", " + element +
         "\n }\n return %r#0, %r#1 : " + r + ", " + r + "\n}\n";
}

std::string embeddingGradient(int64_t columns, const std::string &element, int64_t rows) {
  const std::string g = tensor({5, 8, columns}, element), i = tensor({5, 8}, "i64"),
                    y = tensor({rows, columns}, element);
  return kernelOf("gradient", "graph.embedding_grad %a, %b : " + g + ", " + i + " -> " + y, {g, i}, {y});
}

std::string pads(const std::string &element) {
  const std::string x = tensor({2, 3, 17}, element), y = tensor({4, 8, 19}, element);
  return kernelOf("pad", "graph.pad %a before [1, 2, 1] steps [2, 2, 1] {value = 7.0} : " + x + " -> " + y,
                  {x}, {y});
}

std::string layerNorm(int64_t rows, int64_t columns) {
  const std::string x = tensor({rows, columns}), c = tensor({columns}), r = tensor({rows});
  return kernelOf("norm",
                  "graph.layer_norm %a, %b, %c epsilon(1.0e-5) : " + x + ", " + c + ", " + c + " -> " + x +
                      ", " + r + ", " + r,
                  {x, c, c}, {x, r, r});
}

std::vector<DeviceCase> deviceSums() {
  std::vector<DeviceCase> all = {
      {"cross-entropy", crossEntropy(5, 77), {"loss", "gradient"}, 5},
      {"cross-entropy of long rows", crossEntropy(3, 5003), {"loss", "gradient"}, 3},
      {"rows that lie apart", kRowsApart, {"bias", "apart"}, 24},
      {"columns of rows that lie apart", kColumnsOfRowsApart, {"columns"}, 77},
      {"cross-entropy of rows that lie apart",
       crossEntropy(5, 77, "bf16, #graph.pitch<80>"),
       {"loss", "gradient"},
       5},
      {"cross-entropy of long rows that lie apart",
       crossEntropy(3, 5003, "f32, #graph.pitch<5024>"),
       {"loss", "gradient"},
       3},
      {"softmax, masked", softmax(37, "causal window(9)"), {"softmax"}, 2, {{0, 0}}},
      {"softmax of whole vectors", softmax(16, "causal"), {"softmax"}, 2, {{0, 0}}},
      {"softmax of groups of vectors, masked", softmax(152, "causal"), {"softmax"}, 2, {{0, 0}}},
      {"row sums where numbers lie", scaledRows(40, 35), {"scaled"}, 40, {{0, 0}, {1, 1}}},
      {"sums of long rows where numbers lie", scaledRows(3, 4100), {"scaled"}, 3, {{0, 0}, {1, 1}}},
      {"row sums in bf16", sumOf({9, 100}, {1}, "bf16"), {"sum"}, 9},
      {"row sums in f16", sumOf({9, 99}, {1}, "f16"), {"sum"}, 9},
      {"counts", counts(70), {"count"}, 5},
      {"norm slot", sumOf({70 * 4096 + 5}, {0}, "f32", "f64"), {"sum"}, 1},
      {"norm slots of an owner", sumOf({17, 3 * 4096 + 5}, {1}, "f32", "f64"), {"sum"}, 17},
      {"long norm slots of an owner in bf16", sumOf({2, 66 * 4096 - 3}, {1}, "bf16", "f64"), {"sum"}, 2},
      {"sums of channels", sumOf({5, 3, 31, 37}, {0, 2, 3}), {"sum"}, 3},
      {"sums of channels of many rows", pairsOf({17, 2, 64, 5}, {0, 2, 3}, "f32"), {"pairs"}, 2},
      {"the same in bf16", pairsOf({33, 3, 2, 35, 4}, {0, 3, 4}, "bf16"), {"pairs"}, 3},
      {"the sum of many rows", sumOf({1100, 7}, {0, 1}), {"sum"}, 1},
      {"sums of channels of long rows", sumOf({2, 3, 4100}, {0, 2}), {"sum"}, 3},
      {"norm slot of whole blocks", sumOf({128 * 4096}, {0}, "f32", "f64"), {"sum"}, 1},
      {"norm slot in bf16", sumOf({66 * 4096 - 3}, {0}, "bf16", "f64"), {"sum"}, 1},
      {"columns of few rows", columnPairs(37, 83), {"pairs"}, 83},
      {"columns of blocks of rows", columnPairs(1100, 40, "f32"), {"pairs"}, 40},
      {"columns of blocks of blocks", sumOf({4161, 33}, {0}), {"sum"}, 33},
      {"columns of many short rows", columnPairs(1025, 5, "bf16"), {"pairs"}, 5},
      {"columns over two loops", sumOf({25, 43, 35}, {0, 1}), {"sum"}, 35},
      {"columns in bf16", columnPairs(300, 70, "bf16"), {"pairs"}, 70},
      {"columns in f16", columnPairs(300, 70, "f16"), {"pairs"}, 70},
      {"columns of inner rows", sumOf({7, 4, 13, 70}, {0, 2}), {"sum"}, 4},
      {"windows", kWindows, {"largest"}, 2},
  };
  for (int64_t columns : {15, 96, 1029, 4097}) {
    const std::string of = " of " + std::to_string(columns);
    all.push_back({"layer norm" + of, layerNorm(37, columns), {"norm"}, 37, {{0, 0}}});
    all.push_back({"its gradient" + of, layerNormGradient(5, columns), {"gradient"}, 5, {{0, 0}}});
  }
  return all;
}

std::vector<DeviceCase> deviceMoves() {
  std::vector<DeviceCase> all = {
      {"stacked rows", kStackedRows, {"rows"}, 5},
      {"stacked columns", kStackedColumns, {"columns"}, 4},
      {"gradient of a long table", embeddingGradient(33, "f32", 600), {"gradient"}, 33}};
  for (const std::string element : {"f32", "bf16", "f16"}) {
    all.push_back({"parts of a table in " + element, embeddingParts(element), {"first", "second"}, 8});
    all.push_back({"stacks in " + element, stacks(element), {"merge"}, 2});
    all.push_back({"pads in " + element, pads(element), {"pad"}, 4});
    for (int64_t columns : {96, 33})
      all.push_back({"gradient of a table in " + element + " of " + std::to_string(columns),
                     embeddingGradient(columns, element, 7),
                     {"gradient"},
                     columns});
  }
  return all;
}

} // namespace windlass::codegen::test
