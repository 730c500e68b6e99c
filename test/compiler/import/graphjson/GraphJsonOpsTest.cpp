// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of graph JSON: its values are compared with a formula or a list, and its gradients with
// finite differences, in f64.
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/compiler/import/graphjson/GraphJsonCases.h"
#include <limits>
#include <random>
#include <set>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

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
  // Constants are in f32.
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

/// An activation passes NaN on: a state that has become NaN must not look like one that trains.
class GraphJsonActivations : public GraphJsonOps {};

TEST_P(GraphJsonActivations, letNotANumberThrough) {
  for (auto &[name, tensor] : states)
    if (name != "weights")
      std::ranges::fill(tensor.data, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(loss())) << loss();
}

std::vector<Case> activationCases() {
  std::vector<Case> cases = elementwiseCases();
  std::erase_if(cases, [](const Case &one) {
    const std::set<std::string> activations = {"relu", "gelu", "silu", "sigmoid", "tanh"};
    return !activations.contains(one.name.substr(0, one.name.find('_')));
  });
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, GraphJsonOps, testing::ValuesIn(elementwiseCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Elementwise, GraphJsonActivations, testing::ValuesIn(activationCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, GraphJsonOps, testing::ValuesIn(shapeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Convolutions, GraphJsonOps, testing::ValuesIn(convolutionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Layers, GraphJsonOps, testing::ValuesIn(layerCases()), nameOf);

} // namespace
