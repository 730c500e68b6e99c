// Every operation of a graph JSON: its values against a formula or a list, its gradients against finite
// differences, in f64.
#include "compiler/import/GraphJson.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/ImportTesting.h"
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;
using interpreter::Tensor;
using nlohmann::json;
using Numbers = std::vector<double>;

namespace {

struct Case {
  std::string name;
  json params;                ///< name -> shape
  json ops;                   ///< the last one's result is "z"
  std::vector<int64_t> shape; ///< of z
  std::function<Numbers(std::map<std::string, Tensor> &)> expected;
  double low = -1, high = 1; ///< of the parameters
  bool differentiable = true;
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

/// loss = sum of z * weights.
json documentOf(const Case &tested) {
  json document = {{"format", "windlass.model/1"},
                   {"dims", json::object()},
                   {"inputs", json::object()},
                   {"ops", tested.ops},
                   {"loss", "loss"}};
  for (const auto &[name, shape] : tested.params.items())
    document["params"][name] = {{"shape", shape}, {"init", 0}};
  document["params"]["weights"] = {{"shape", tested.shape}, {"init", 0}};
  document["ops"].push_back({{"op", "mul"}, {"in", {"z", "weights"}}, {"out", "loss"}});
  return document;
}

class GraphJsonOps : public ::testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    auto built = buildGraph(context, documentOf(GetParam()), "m.json", "", trainingOf(1));
    ASSERT_TRUE(built) << built.status().message();
    module = built.take();
    std::mt19937 random(5);
    for (auto state : module->getOps<graph::StateOp>()) {
      bool isWeight = state.getSymName() == "weights";
      std::uniform_real_distribution<double> draw(isWeight ? 0.5 : GetParam().low,
                                                  isWeight ? 1.5 : GetParam().high);
      Tensor tensor(cast<RankedTensorType>(state.getType()).getShape());
      for (double &value : tensor.data)
        value = draw(random);
      states[state.getSymName().str()] = tensor;
    }
  }

  /// The reports of a step, by item.
  std::map<std::string, Tensor> run(const char *step) {
    interpreter::Interpreter machine(*module);
    for (const auto &[name, tensor] : states)
      machine.states()[name] = tensor;
    auto reports = machine.runStep(step, [](const interpreter::FeedRequest &request) -> Result<Tensor> {
      return Tensor(request.type.getShape(), 1.0);
    });
    EXPECT_TRUE(reports) << reports.status().message();
    std::map<std::string, Tensor> found;
    if (reports)
      for (const interpreter::Report &report : *reports)
        found[report.item] = report.value;
    return found;
  }
  double loss() { return run("evaluate")["loss"].data.at(0); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::map<std::string, Tensor> states;
};

TEST_P(GraphJsonOps, givesTheExpectedValues) {
  Numbers expected = GetParam().expected(states), weights = states["weights"].data;
  ASSERT_EQ(expected.size(), weights.size());
  double sum = std::inner_product(weights.begin(), weights.end(), expected.begin(), 0.0);
  // Constants stand in f32.
  EXPECT_NEAR(loss(), sum, 2e-7 * std::max(1.0, std::fabs(sum)));
}

TEST_P(GraphJsonOps, hasTheGradientsOfFiniteDifferences) {
  PassManager manager(&context);
  manager.addPass(graph::createDifferentiate({1}));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  std::map<std::string, Tensor> reports = run("train");
  for (const auto &[name, shape] : GetParam().params.items()) {
    if (!GetParam().differentiable)
      continue;
    ASSERT_TRUE(reports.contains("gradient/" + name)) << name;
    const Tensor gradient = reports["gradient/" + name];
    for (size_t i = 0; i < gradient.data.size(); ++i) {
      constexpr double kStep = 1e-5;
      double &value = states[name].data[i], kept = value;
      value = kept + kStep;
      double above = loss();
      value = kept - kStep;
      double slope = (above - loss()) / (2 * kStep);
      value = kept;
      ASSERT_NEAR(gradient.data[i], slope, 1e-6 * std::max(1.0, std::fabs(slope))) << name << " " << i;
    }
  }
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

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

/// y, a row, is broadcast along x's columns of matrices.
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
  Case square = unary("pow", {}, [](double x, double) { return x * x; });
  square.name = "pow_of_a_constant";
  square.ops = {{{"op", "constant"}, {"value", 2}, {"out", "two"}},
                {{"op", "pow"}, {"in", {"x", "two"}}, {"out", "z"}}};
  cases.push_back(square);
  Case where = binary("where", [](double x, double y) { return x < y ? x * x : y; });
  where.ops = {{{"op", "less"}, {"in", {"x", "y"}}, {"out", "c"}},
               {{"op", "mul"}, {"in", {"x", "x"}}, {"out", "s"}},
               {{"op", "where"}, {"in", {"c", "s", "y"}}, {"out", "z"}}};
  cases.push_back(where);
  return cases;
}

//===----------------------------------------------------------------------===//
// Shapes: x holds 2 x 3 x 4 numbers unless said otherwise
//===----------------------------------------------------------------------===//

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

/// z = a formula of each row of x, 3 of them per matrix.
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
      rows("reduce_sum", {{"op", "reduce"}, {"kind", "sum"}, {"dims", {-1}}}, {2, 3}, sum),
      rows("reduce_mean", {{"op", "reduce"}, {"kind", "mean"}, {"dims", {2}}, {"keep", true}}, {2, 3, 1},
           [=](const Numbers &row) { return sum(row) / 4; }),
      rows("reduce_max", {{"op", "reduce"}, {"kind", "max"}, {"dims", {2}}}, {2, 3},
           [](const Numbers &row) { return *std::max_element(row.begin(), row.end()); }),
  };
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, GraphJsonOps, testing::ValuesIn(elementwiseCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, GraphJsonOps, testing::ValuesIn(shapeCases()), nameOf);

//===----------------------------------------------------------------------===//
// Products and losses
//===----------------------------------------------------------------------===//

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
INSTANTIATE_TEST_SUITE_P(Layers, GraphJsonOps, testing::ValuesIn(layerCases()), nameOf);

} // namespace
