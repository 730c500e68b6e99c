// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ties in maxima and minima: the equal operands that get the gradient.
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/compiler/import/graphjson/GraphJsonCases.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// The gradients of parameters with these values, if the gradient of each result of `op` is its weight.
std::map<std::string, Numbers> gradientsOf(json op, const std::map<std::string, Tensor> &values,
                                           const Tensor &weights) {
  Case tested;
  tested.shape = weights.shape;
  for (const auto &[name, value] : values) {
    tested.params[name] = value.shape;
    op["in"].push_back(name);
  }
  op["out"] = "z";
  tested.ops = {op};
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
  machine.states()["weights"] = weights;
  for (const auto &[name, value] : values)
    machine.states()[name] = value;
  auto reports = machine.runStep("train", [](const interpreter::FeedRequest &request) -> Result<Tensor> {
    return Tensor(request.type.getShape(), 1.0);
  });
  EXPECT_TRUE(reports) << reports.status().message();
  std::map<std::string, Numbers> gradients;
  if (reports)
    for (const interpreter::Report &report : *reports)
      if (StringRef name = report.item; name.consume_front("gradient/"))
        gradients[name.str()] = report.value.data;
  return gradients;
}

/// The default is that of torch.maximum and torch.minimum.
TEST(GraphJsonTies, twoEqualOperandsShareTheGradient) {
  const Tensor x({3}, Numbers{1, 2, 3}), y({3}, Numbers{2, 2, 2}), weights({3}, Numbers{8, 12, 20});
  auto gradients = [&](const json &op) { return gradientsOf(op, {{"x", x}, {"y", y}}, weights); };
  for (const json &op : {json{{"op", "max"}}, json{{"op", "max"}, {"ties", "split"}}}) {
    EXPECT_EQ(gradients(op)["x"], (Numbers{0, 6, 20}));
    EXPECT_EQ(gradients(op)["y"], (Numbers{8, 6, 0}));
  }
  EXPECT_EQ(gradients({{"op", "min"}})["x"], (Numbers{8, 6, 0}));
  EXPECT_EQ(gradients({{"op", "min"}})["y"], (Numbers{0, 6, 20}));
  EXPECT_EQ(gradients({{"op", "min"}, {"ties", "y"}})["x"], (Numbers{8, 0, 0}));
  EXPECT_EQ(gradients({{"op", "min"}, {"ties", "y"}})["y"], (Numbers{0, 12, 20}));
}

/// The rule is that of torch.clamp with numbers.
TEST(GraphJsonTies, whatIsClippedHasNoGradientAtTheBounds) {
  const json op = {{"op", "clip"}, {"low", -1}, {"high", 2}};
  const Tensor x({5}, Numbers{-2, -1, 0, 2, 3}), weights({5}, Numbers{3, 5, 7, 11, 13});
  EXPECT_EQ(gradientsOf(op, {{"x", x}}, weights)["x"], (Numbers{0, 0, 7, 0, 0}));
}

/// The rule is that of torch.amax.
TEST(GraphJsonTies, theLargestOfARowShareTheGradient) {
  const json op = {{"op", "reduce"}, {"kind", "max"}, {"dims", {1}}};
  const Tensor x({2, 3}, Numbers{1, 2, 2, 5, 5, 5});
  EXPECT_EQ(gradientsOf(op, {{"x", x}}, Tensor({2}, Numbers{8, 12}))["x"], (Numbers{0, 4, 4, 4, 4, 4}));
}

Numbers gradientOfMaxima(const json &kernel, const Tensor &x, const Tensor &weights) {
  return gradientsOf({{"op", "max_pool"}, {"kernel", kernel}}, {{"x", x}}, weights)["x"];
}

/// The first of equal elements in row-major order gets the gradient, as in PyTorch.
TEST(GraphJsonTies, theFirstMaximumOfAWindowGetsTheGradient) {
  EXPECT_EQ(gradientOfMaxima({2, 2}, Tensor({1, 1, 2, 3}, Numbers{0, 1, 1, 1, 1, 1}),
                             Tensor({1, 1, 1, 2}, Numbers{2, 5})),
            (Numbers{0, 7, 0, 0, 0, 0}));
}

/// The same holds for windows of 20, which are composed of others.
TEST(GraphJsonTies, theFirstMaximumOfALongWindowGetsTheGradient) {
  Numbers x(24, 0.0), expected(24, 0.0);
  for (int at : {3, 6, 11, 19, 20})
    x[at] = 1;
  expected[3] = 2 + 5 + 11 + 17; // the windows at 0 to 3
  expected[6] = 23;              // the window at 4
  EXPECT_EQ(gradientOfMaxima({20}, Tensor({1, 1, 24}, x), Tensor({1, 1, 5}, Numbers{2, 5, 11, 17, 23})),
            expected);
}

} // namespace
