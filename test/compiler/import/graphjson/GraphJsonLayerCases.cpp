// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements, and operations of layers. x has 2 x 3 x 4 numbers, except in some cases.
#include "test/compiler/import/graphjson/GraphJsonCases.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace windlass::test {
namespace {

/// z[i] = x[picked[i]].
Case picking(const std::string &name, const json &op, std::vector<int64_t> shape, std::vector<int> picked) {
  json full = {{"in", {"x"}}, {"out", "z"}};
  if (op.is_object())
    full.update(op);
  return {name, {{"x", {2, 3, 4}}}, {full}, shape, [picked](auto &states) {
            Numbers z;
            for (int at : picked)
              z.push_back(states["x"].data[at]);
            return z;
          }};
}

/// z = a formula of each row of x. A matrix has 3 rows.
Case rows(const std::string &name, const json &op, std::vector<int64_t> shape,
          const std::function<double(const Numbers &)> &formula) {
  json full = {{"in", {"x"}}, {"out", "z"}};
  if (op.is_object())
    full.update(op);
  return {name, {{"x", {2, 3, 4}}}, {full}, shape, [formula](auto &states) {
            Numbers z;
            for (auto row = states["x"].data.begin(); row != states["x"].data.end(); row += 4)
              z.push_back(formula(Numbers(row, row + 4)));
            return z;
          }};
}

std::vector<int> counted(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Column 3, then columns 0 to 2, of every row.
Case splitAndConcat() {
  std::vector<int> picked;
  for (int row = 0; row < 6; ++row)
    for (int column : {3, 0, 1, 2})
      picked.push_back(row * 4 + column);
  Case tested = picking("split_and_concat", {}, {2, 3, 4}, picked);
  tested.ops = {{{"op", "split"}, {"in", {"x"}}, {"dim", 2}, {"sizes", {3, 1}}, {"out", {"a", "b"}}},
                {{"op", "concat"}, {"in", {"b", "a"}}, {"dim", -1}, {"out", "z"}}};
  return tested;
}

/// Adds a row of 7 before each matrix of x, and a column of 7 after it.
Case padded() {
  json op = {{"op", "pad"}, {"before", {0, 1, 0}}, {"after", {0, 0, 1}}, {"value", 7}};
  Case tested = picking("pad", op, {2, 4, 5}, {});
  tested.expected = [](auto &states) {
    Numbers z;
    for (int matrix = 0; matrix < 2; ++matrix)
      for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 5; ++column)
          z.push_back(row == 0 || column == 4 ? 7 : states["x"].data[(matrix * 3 + row - 1) * 4 + column]);
    return z;
  };
  return tested;
}

Case matmul(const std::string &name, std::vector<int64_t> a, std::vector<int64_t> b, const json &keys,
            std::vector<int64_t> shape, const std::function<double(Numbers &, Numbers &, int)> &element) {
  json op = {{"op", "matmul"}, {"in", {"x", "y"}}, {"out", "z"}};
  if (keys.is_object())
    op.update(keys);
  return {name, {{"x", a}, {"y", b}}, {op}, shape, [=](auto &states) {
            Numbers z;
            for (int i = 0; i < llvm::product_of(shape); ++i)
              z.push_back(element(states["x"].data, states["y"].data, i));
            return z;
          }};
}

/// Gathers along the middle dimension of x by the constant [2, -3]: matrices 2 and 0 of 2 x 4.
Case gather() {
  std::vector<int> picked;
  for (int i = 0; i < 2; ++i)
    for (int row : {2, 0})
      for (int k = 0; k < 4; ++k)
        picked.push_back((i * 3 + row) * 4 + k);
  Case tested = picking("gather", {}, {2, 2, 4}, picked);
  tested.ops = {{{"op", "constant"}, {"type", "i32"}, {"value", {2, -3}}, {"out", "i"}},
                {{"op", "gather"}, {"in", {"x", "i"}}, {"dim", 1}, {"out", "z"}}};
  return tested;
}

Case gatherElements() {
  Case tested = picking("gather_elements", {}, {1, 2, 4}, {8, 1, 2, 7, 4, 5, 10, 3});
  json indices = json::parse("[[[2, 0, 0, 1], [1, 1, 2, 0]]]");
  tested.ops = {{{"op", "constant"}, {"type", "i32"}, {"value", indices}, {"out", "i"}},
                {{"op", "gather_elements"}, {"in", {"x", "i"}}, {"dim", 1}, {"out", "z"}}};
  return tested;
}

/// Looks up elements of x by the sums of [2, 0, 1] and [1, -4, 0]. The first two lie outside, which the file
/// does not say, and give 0; the last gives the elements `inside`.
Case computedIndices(const std::string &name, const json &shapeOfIndices, const json &lookup,
                     std::vector<int64_t> shape, const std::map<int, int> &inside) {
  Case tested = picking(name, {}, shape, {});
  tested.params = {{"x", {3, 2}}};
  const json sum = {{"op", "add"}, {"in", {"a", "b"}}, {"out", "s"}};
  tested.ops = {{{"op", "constant"}, {"type", "i32"}, {"value", {2, 0, 1}}, {"out", "a"}},
                {{"op", "constant"}, {"type", "i32"}, {"value", {1, -4, 0}}, {"out", "b"}},
                sum,
                {{"op", "reshape"}, {"in", {"s"}}, {"shape", shapeOfIndices}, {"out", "i"}},
                lookup};
  tested.expected = [=](auto &states) {
    Numbers z(llvm::product_of(shape), 0.0);
    for (auto [to, from] : inside)
      z[to] = states["x"].data[from];
    return z;
  };
  return tested;
}

/// The softmax of x along its first dimension, or the logarithm of the softmax.
Case softmax(const std::string &name, bool isLog) {
  Case tested = picking(name, {{"op", name}, {"dim", 0}}, {2, 3, 4}, {});
  tested.expected = [isLog](auto &states) {
    Numbers z, &x = states["x"].data;
    for (int i = 0; i < 24; ++i) {
      double p = std::exp(x[i]) / (std::exp(x[i % 12]) + std::exp(x[i % 12 + 12]));
      z.push_back(isLog ? std::log(p) : p);
    }
    return z;
  };
  return tested;
}

/// 2 sequences of 3 tokens with 2 heads of 4 columns. The first 2 * 1 or 2 * 2 columns are turned.
Case rotary(const std::string &name, const std::vector<double> &frequencies, bool interleaved) {
  Case tested;
  tested.name = name;
  tested.params = {{"x", {6, 8}}};
  tested.shape = {6, 8};
  tested.ops = {
      {{"op", "rotary_table"},
       {"positions", 3},
       {"frequencies", frequencies},
       {"factor", 1.5},
       {"out", {"c", "s"}}},
      {{"op", "rotary"}, {"in", {"x", "c", "s"}}, {"heads", 2}, {"interleaved", interleaved}, {"out", "z"}}};
  tested.expected = [=](auto &states) {
    Numbers z = states["x"].data;
    size_t half = frequencies.size();
    for (size_t head = 0; head < 12; ++head)
      for (size_t pair = 0; pair < half; ++pair) {
        double angle = static_cast<double>(head / 2 % 3) * frequencies[pair];
        double &a = z[head * 4 + (interleaved ? 2 * pair : pair)],
               &b = z[head * 4 + (interleaved ? 2 * pair + 1 : pair + half)];
        double turned = 1.5 * (a * std::cos(angle) - b * std::sin(angle));
        b = 1.5 * (b * std::cos(angle) + a * std::sin(angle));
        a = turned;
      }
    return z;
  };
  return tested;
}

Case rmsNorm() {
  Case tested = picking("rms_norm", {}, {2, 3, 4}, {});
  tested.params["y"] = {4};
  tested.ops = {{{"op", "rms_norm"}, {"in", {"x", "y"}}, {"eps", 0.0625}, {"out", "z"}}};
  tested.expected = [](auto &states) {
    Numbers z;
    for (size_t i = 0; i < 24; ++i) {
      double squares = 0;
      for (size_t k = 0; k < 4; ++k)
        squares += std::pow(states["x"].data[i / 4 * 4 + k], 2);
      z.push_back(states["x"].data[i] / std::sqrt(squares / 4 + 0.0625) * states["y"].data[i % 4]);
    }
    return z;
  };
  return tested;
}

/// The labels are 3 and 1, and the second is ignored. A quarter of the first goes to all columns.
Case smoothedCrossEntropy() {
  Case tested = rows("cross_entropy", {}, {2}, [](const Numbers &) { return 0.0; });
  tested.params = {{"x", {2, 4}}};
  tested.ops = {
      {{"op", "constant"}, {"type", "i32"}, {"value", {3, 1}}, {"out", "l"}},
      {{"op", "cross_entropy"}, {"in", {"x", "l"}}, {"ignore_index", 1}, {"smoothing", 0.25}, {"out", "z"}}};
  tested.expected = [](auto &states) {
    Numbers x = states["x"].data;
    double sum = 0, mean = 0;
    for (int i = 0; i < 4; ++i) {
      sum += std::exp(x[i]);
      mean += x[i] / 4;
    }
    return Numbers{std::log(sum) - 0.75 * x[3] - 0.25 * mean, 0};
  };
  return tested;
}

} // namespace

std::vector<Case> shapeCases() {
  auto sum = [](const Numbers &row) { return std::accumulate(row.begin(), row.end(), 0.0); };
  std::vector<int> turned, repeated;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        turned.push_back((i * 3 + j) * 4 + k);
  for (int times = 0; times < 2; ++times)
    for (int at : counted(24))
      repeated.push_back(at);
  return {
      picking("reshape", {{"op", "reshape"}, {"shape", {4, 6}}}, {4, 6}, counted(24)),
      picking("transpose", {{"op", "transpose"}, {"perm", {2, 0, 1}}}, {4, 2, 3}, turned),
      picking("expand", {{"op", "expand"}, {"shape", {2, 1, 3, 4}}}, {2, 2, 3, 4}, repeated),
      picking("slice",
              {{"op", "slice"}, {"dims", {1, 2}}, {"starts", {-2, 0}}, {"ends", {9, 4}}, {"steps", {1, 3}}},
              {2, 2, 2}, {4, 7, 8, 11, 16, 19, 20, 23}),
      splitAndConcat(),
      padded(),
      rows("reduce_sum", {{"op", "reduce"}, {"kind", "sum"}, {"dims", {-1}}}, {2, 3}, sum),
      rows("reduce_mean", {{"op", "reduce"}, {"kind", "mean"}, {"dims", {2}}, {"keep", true}}, {2, 3, 1},
           [=](const Numbers &row) { return sum(row) / 4; }),
      rows("reduce_max", {{"op", "reduce"}, {"kind", "max"}, {"dims", {2}}}, {2, 3},
           [](const Numbers &row) { return *std::max_element(row.begin(), row.end()); }),
  };
}

std::vector<Case> layerCases() {
  auto bce = rows("bce_with_logits", {}, {2, 3}, [](const Numbers &) { return 0.0; });
  bce.params["y"] = {2, 3, 4};
  bce.ops = {{{"op", "bce_with_logits"}, {"in", {"x", "y"}}, {"out", "z"}}};
  bce.low = 0.1, bce.high = 0.9;
  bce.expected = [](auto &states) {
    Numbers z(6);
    for (size_t i = 0; i < 24; ++i) {
      double s = 1 / (1 + std::exp(-states["x"].data[i])), y = states["y"].data[i];
      z[i / 4] -= (y * std::log(s) + (1 - y) * std::log(1 - s)) / 4;
    }
    return z;
  };
  auto dot = [](int count, auto term) {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += term(k);
    return sum;
  };
  return {
      bce,
      gather(),
      gatherElements(),
      computedIndices("embedding_outside", {3}, {{"op", "embedding"}, {"in", {"x", "i"}}, {"out", "z"}},
                      {3, 2}, {{4, 2}, {5, 3}}),
      computedIndices("gather_outside", {3}, {{"op", "gather"}, {"in", {"x", "i"}}, {"out", "z"}}, {3, 2},
                      {{4, 2}, {5, 3}}),
      computedIndices("gather_elements_outside", {3, 1},
                      {{"op", "gather_elements"}, {"in", {"x", "i"}}, {"out", "z"}}, {3, 1}, {{2, 2}}),
      softmax("softmax", false),
      softmax("log_softmax", true),
      rotary("rotary", {1.0, 0.25}, false),
      rotary("rotary_interleaved", {1.0, 0.25}, true),
      rotary("rotary_of_a_part", {0.5}, false),
      rmsNorm(),
      smoothedCrossEntropy(),
      matmul("matmul_of_batches_by_one_matrix", {2, 3, 4}, {4, 5}, {}, {2, 3, 5},
             [=](Numbers &a, Numbers &b, int i) {
               return dot(4, [&](int k) { return a[i / 5 * 4 + k] * b[k * 5 + i % 5]; });
             }),
      matmul("matmul_of_one_matrix_by_batches", {3, 4}, {2, 5, 4}, {{"trans_b", true}}, {2, 3, 5},
             [=](Numbers &a, Numbers &b, int i) {
               return dot(4, [&](int k) { return a[i / 5 % 3 * 4 + k] * b[(i / 15 * 5 + i % 5) * 4 + k]; });
             }),
      matmul("matmul_of_broadcast_batches", {2, 1, 4, 3}, {2, 4, 2}, {{"trans_a", true}}, {2, 2, 3, 2},
             [=](Numbers &a, Numbers &b, int i) {
               int m = i / 2 % 3, n = i % 2, inner = i / 6 % 2, outer = i / 12;
               return dot(4, [&](int k) { return a[(outer * 4 + k) * 3 + m] * b[(inner * 4 + k) * 2 + n]; });
             }),
  };
}

} // namespace windlass::test
