// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention with two masks, as one operation and as it is spelt: results and gradients on the interpreter.
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/compiler/import/onnx/recognize/TwoMasks.h"
#include <limits>
#include <numeric>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

using Numbers = std::map<std::string, interpreter::Tensor>;

/// Random numbers between -1 and 1 that depend on a name.
interpreter::Tensor drawn(const std::string &name, llvm::ArrayRef<int64_t> shape) {
  interpreter::Tensor tensor(shape);
  std::mt19937 random(static_cast<unsigned>(std::accumulate(name.begin(), name.end(), 0)));
  std::uniform_real_distribution<double> draw(-1, 1);
  for (double &number : tensor.data)
    number = draw(random);
  return tensor;
}

/// What the train step reports: the loss and the gradients. The examples begin with 0 to 3 tokens of padding.
Numbers trained(const TwoMasks &masks) {
  Result<OnnxDescription> description = describeModel(twoMasksModel(masks));
  EXPECT_TRUE(description) << description.status().message();
  const std::string ops = description->document["ops"].dump();
  EXPECT_EQ(ops.find("\"attention\"") == std::string::npos, masks.isSpelt);
  mlir::MLIRContext context;
  auto module = buildGraph(context, description->document, "made.json", "", trainingOf(4));
  EXPECT_TRUE(module) << module.status().message();
  mlir::PassManager manager(&context);
  manager.addPass(graph::createDifferentiate({1}));
  EXPECT_TRUE(succeeded(manager.run(**module)));
  interpreter::Interpreter machine(**module);
  for (auto &[name, state] : statesOf(**module))
    if (name != "one.weight")
      machine.states()[name] = drawn(name, state.getType().getShape());
  machine.states()["one.weight"] = interpreter::Tensor({1}, 1.0);
  auto reports = machine.runStep("train", [](const auto &request) -> Result<interpreter::Tensor> {
    if (request.item.size() == 1)
      return drawn(request.item, request.type.getShape());
    interpreter::Tensor tensor(request.type.getShape(), 1.0);
    for (size_t i = 0; request.item == "seen" && i < tensor.data.size(); ++i)
      tensor.data[i] = i % 4 >= i / 4 ? 1 : 0;
    return tensor;
  });
  EXPECT_TRUE(reports) << reports.status().message();
  Numbers found;
  for (const interpreter::Report &report : *reports)
    found[report.item] = report.value;
  found.erase("gradient/one.weight");
  return found;
}

TEST(OnnxTwoMasksNumbers, oneOperationGivesThoseOfItsParts) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  for (const Second second : {Second::Truths, Second::Numbers, Second::Before}) {
    const TwoMasks masks{kLowest, kLowest, second};
    TwoMasks spelt = masks;
    spelt.isSpelt = true;
    const Numbers expected = trained(spelt), found = trained(masks);
    ASSERT_EQ(found.size(), expected.size());
    ASSERT_GE(found.size(), 4U);
    for (const auto &[item, tensor] : expected) {
      ASSERT_TRUE(found.contains(item)) << item;
      for (size_t i = 0; i < tensor.data.size(); ++i)
        EXPECT_NEAR(found.at(item).data[i], tensor.data[i], 1e-12) << item << " " << i;
    }
  }
}

} // namespace
