// Every operation of a graph JSON: its values against a formula or a list, its gradients against finite
// differences, in f64.
#include "compiler/import/GraphJson.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/GraphJsonCases.h"
#include "test/compiler/import/ImportTesting.h"
#include <random>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

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

/// The gradient of x where that of each maximum is its weight.
Numbers gradientOfMaxima(const std::vector<int64_t> &shape, const json &kernel, const Tensor &weights,
                         const Numbers &x) {
  Case tested;
  tested.params = {{"x", shape}};
  tested.shape = weights.shape;
  tested.ops = {{{"op", "max_pool"}, {"in", {"x"}}, {"kernel", kernel}, {"out", "z"}}};
  MLIRContext context;
  auto built = buildGraph(context, documentOf(tested), "m.json", "", trainingOf(1));
  EXPECT_TRUE(built) << built.status().message();
  if (!built)
    return {};
  auto module = built.take();
  PassManager manager(&context);
  manager.addPass(graph::createDifferentiate({1}));
  EXPECT_TRUE(succeeded(manager.run(*module)));
  interpreter::Interpreter machine(*module);
  machine.states()["x"] = Tensor(shape, x);
  machine.states()["weights"] = weights;
  auto reports = machine.runStep("train", [](const interpreter::FeedRequest &request) -> Result<Tensor> {
    return Tensor(request.type.getShape(), 1.0);
  });
  EXPECT_TRUE(reports) << reports.status().message();
  auto gradient = llvm::find_if(*reports, [](auto &report) { return report.item == "gradient/x"; });
  return gradient == reports->end() ? Numbers() : gradient->value.data;
}

/// Of equal elements the first in row-major order gets the gradient, as in PyTorch.
TEST(GraphJsonPooling, theFirstMaximumGetsTheGradient) {
  EXPECT_EQ(gradientOfMaxima({1, 1, 2, 3}, {2, 2}, Tensor({1, 1, 1, 2}, Numbers{2, 5}), {0, 1, 1, 1, 1, 1}),
            (Numbers{0, 7, 0, 0, 0, 0}));
}

/// Also of a window that is put together of others: windows of 20.
TEST(GraphJsonPooling, theFirstMaximumOfALongWindowGetsTheGradient) {
  Numbers x(24, 0.0), expected(24, 0.0);
  for (int at : {3, 6, 11, 19, 20})
    x[at] = 1;
  expected[3] = 2 + 5 + 11 + 17; // of windows at 0 to 3
  expected[6] = 23;              // of the window at 4
  EXPECT_EQ(gradientOfMaxima({1, 1, 24}, {20}, Tensor({1, 1, 5}, Numbers{2, 5, 11, 17, 23}), x), expected);
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, GraphJsonOps, testing::ValuesIn(elementwiseCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, GraphJsonOps, testing::ValuesIn(shapeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Convolutions, GraphJsonOps, testing::ValuesIn(convolutionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Layers, GraphJsonOps, testing::ValuesIn(layerCases()), nameOf);

} // namespace
