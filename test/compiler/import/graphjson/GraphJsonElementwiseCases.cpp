// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise operations.
#include "test/compiler/import/graphjson/GraphJsonCases.h"
#include <algorithm>
#include <cmath>

namespace windlass::test {
namespace {

using Scalar = std::function<double(double, double)>;

Case unary(const std::string &name, const json &keys, const Scalar &formula, double low = -1,
           double high = 1) {
  json op = {{"op", name}, {"in", {"x"}}, {"out", "z"}};
  if (keys.is_object())
    op.update(keys);
  return {name,
          {{"x", {3, 4}}},
          {op},
          {3, 4},
          [formula](auto &states) {
            Numbers z;
            for (double x : states["x"].data)
              z.push_back(formula(x, 0));
            return z;
          },
          low,
          high};
}

/// The row y is broadcast along the columns of the matrices of x.
Case binary(const std::string &name, const Scalar &formula, double low = -1, double high = 1) {
  return {name,
          {{"x", {2, 3, 4}}, {"y", {3, 1}}},
          {{{"op", name}, {"in", {"x", "y"}}, {"out", "z"}}},
          {2, 3, 4},
          [formula](auto &states) {
            Numbers z;
            for (size_t i = 0; i < 24; ++i)
              z.push_back(formula(states["x"].data[i], states["y"].data[i / 4 % 3]));
            return z;
          },
          low,
          high};
}

/// A comparison of x and y, as numbers.
Case truth(const std::string &name, const Scalar &formula) {
  Case tested = binary(name, formula);
  tested.ops = {{{"op", name}, {"in", {"x", "y"}}, {"out", "t"}},
                {{"op", "cast"}, {"in", {"t"}}, {"type", "f32"}, {"out", "z"}}};
  tested.differentiable = false;
  return tested;
}

/// `op` of the truth values x < 0 and y < 0.
Case logic(const std::string &op, const json &inputs, const Scalar &formula) {
  Case tested = binary(op, [formula](double x, double y) { return formula(x < 0, y < 0); });
  tested.ops = {{{"op", "constant"}, {"value", 0}, {"out", "zero"}},
                {{"op", "less"}, {"in", {"x", "zero"}}, {"out", "a"}},
                {{"op", "less"}, {"in", {"y", "zero"}}, {"out", "b"}},
                {{"op", op}, {"in", inputs}, {"out", "c"}},
                {{"op", "add"}, {"in", {"c", "b"}}, {"out", "d"}},
                {{"op", "cast"}, {"in", {"d"}}, {"type", "f32"}, {"out", "z"}}};
  tested.differentiable = false;
  return tested;
}

} // namespace

std::vector<Case> elementwiseCases() {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  std::vector<Case> cases = {
      binary("add", std::plus<double>()),
      binary("sub", std::minus<double>()),
      binary("mul", std::multiplies<double>()),
      binary("div", std::divides<double>(), 0.5, 2),
      binary(
          "pow", [](double x, double y) { return std::pow(x, y); }, 0.5, 2),
      binary("min", [](double x, double y) { return std::min(x, y); }),
      binary("max", [](double x, double y) { return std::max(x, y); }),
      unary("neg", {}, [](double x, double) { return -x; }),
      unary("abs", {}, [](double x, double) { return std::fabs(x); }),
      unary(
          "sqrt", {}, [](double x, double) { return std::sqrt(x); }, 0.5, 2),
      unary(
          "rsqrt", {}, [](double x, double) { return 1 / std::sqrt(x); }, 0.5, 2),
      unary(
          "reciprocal", {}, [](double x, double) { return 1 / x; }, 0.5, 2),
      unary("exp", {}, [](double x, double) { return std::exp(x); }),
      unary(
          "log", {}, [](double x, double) { return std::log(x); }, 0.5, 2),
      unary("erf", {}, [](double x, double) { return std::erf(x); }),
      unary(
          "sin", {}, [](double x, double) { return std::sin(x); }, -9, 9),
      unary(
          "cos", {}, [](double x, double) { return std::cos(x); }, -9, 9),
      unary("tanh", {}, [](double x, double) { return std::tanh(x); }),
      unary("relu", {}, [](double x, double) { return std::max(x, 0.0); }),
      unary("clip", {{"low", -0.25}, {"high", 0.5}},
            [](double x, double) { return std::clamp(x, -0.25, 0.5); }),
      unary("gelu", {{"form", "erf"}},
            [](double x, double) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }),
      unary(
          "sigmoid", {}, [=](double x, double) { return sigmoid(x); }, -900, 900),
      unary(
          "silu", {}, [=](double x, double) { return x * sigmoid(x); }, -30, 30),
      unary(
          "softplus", {},
          [](double x, double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); },
          -900, 900),
      truth("equal", std::equal_to<double>()),
      truth("less", std::less<double>()),
      truth("less_equal", std::less_equal<double>()),
      truth("greater", std::greater<double>()),
      truth("greater_equal", std::greater_equal<double>()),
      logic("and", {"a", "b"}, [](double a, double b) { return (a && b) + b; }),
      logic("or", {"a", "b"}, [](double a, double b) { return (a || b) + b; }),
      logic("not", {"a"}, [](double a, double b) { return !a + b; }),
  };
  for (const auto &[exponent, low, high] : {std::tuple(2, -1.0, 1.0),
                                            {9, -1.0, 1.0},
                                            {12, -1.0, 1.0},
                                            {0, -1.0, 1.0},
                                            {-1, -2.0, -0.5},
                                            {-2, -2.0, -0.5},
                                            {-11, -2.0, -0.5}}) {
    Case power = unary("pow", {}, [n = exponent](double x, double) { return std::pow(x, n); }, low, high);
    power.name = "pow_of_" + std::string(exponent < 0 ? "minus_" : "") + std::to_string(std::abs(exponent));
    power.ops = {{{"op", "constant"}, {"value", exponent}, {"out", "n"}},
                 {{"op", "pow"}, {"in", {"x", "n"}}, {"out", "z"}}};
    power.differentiable = exponent != 0; // 1, whatever x is
    cases.push_back(power);
  }
  Case where = binary("where", [](double x, double y) { return x < y ? x * x : y; });
  where.ops = {{{"op", "less"}, {"in", {"x", "y"}}, {"out", "c"}},
               {{"op", "mul"}, {"in", {"x", "x"}}, {"out", "s"}},
               {{"op", "where"}, {"in", {"c", "s", "y"}}, {"out", "z"}}};
  cases.push_back(where);
  return cases;
}

} // namespace windlass::test
