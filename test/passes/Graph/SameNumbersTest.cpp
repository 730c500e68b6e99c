// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the train step before and after passes that must not change a number.

#include "test/passes/Graph/TrainingModule.h"

namespace windlass::graph {
namespace {

struct Outcome {
  Reports reports;
  interpreter::States states;
};

/// Runs two train steps, so that the second reads the states of the first.
Outcome train(const std::string &pipeline, bool roundToTypes = false) {
  TrainingModule model(pipeline);
  auto interpreter = model.interpret(roundToTypes);
  runStep(interpreter, "train");
  Reports reports = runStep(interpreter, "train");
  return {reports, interpreter.states()};
}

void expectSameOutcome(const Outcome &found, const Outcome &expected, double tolerance) {
  expectSame(found.reports, expected.reports, tolerance);
  expectSame(found.states, expected.states, tolerance);
}

const std::string kTrain = "differentiate{micro-batches=2},apply-optimizer{clip=0.5}";

/// Each test also runs with the rounding of bf16, which reveals a value that is kept too wide.
class SameNumbers : public testing::TestWithParam<bool> {
protected:
  std::string trained(const std::string &passes) {
    return (GetParam() ? "precision{compute=bf16}," : "") + kTrain + passes;
  }
  std::string recomputed(const std::string &options) {
    return std::string(GetParam() ? "precision{compute=bf16}," : "") +
           "differentiate{micro-batches=2},recompute{" + options + "},apply-optimizer{clip=0.5}";
  }
};

TEST_P(SameNumbers, Recompute) {
  Outcome kept = train(trained(""), GetParam());
  expectSameOutcome(train(recomputed("mode=full"), GetParam()), kept, 0);
  expectSameOutcome(train(recomputed("mode=full every=2"), GetParam()), kept, 0);
  expectSameOutcome(train(recomputed("mode=full every=5"), GetParam()), kept, 0);
  expectSameOutcome(train(recomputed("mode=kept keep=block:"), GetParam()), kept, 0);
  expectSameOutcome(
      train(recomputed("mode=kept keep=block:matmul.0,block:map.0,block:attention.0"), GetParam()), kept, 0);
  expectSameOutcome(train(recomputed("mode=kept keep=block:layer_norm.0#1,block:map.2"), GetParam()), kept,
                    0);
}

TEST_P(SameNumbers, FuseMaps) {
  const std::string decomposed = trained(",decompose-composites,canonicalize");
  expectSameOutcome(train(decomposed + ",fuse-maps", GetParam()), train(decomposed, GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Types, SameNumbers, testing::Bool(),
                         [](const auto &info) { return info.param ? "bf16" : "f64"; });

TEST(Decomposed, AgreesWithComposites) {
  expectSameOutcome(train(kTrain + ",decompose-composites"), train(kTrain), 1e-12);
}

TEST(Pipeline, AgreesWithItsPassesThatMakeNumbers) {
  expectSameOutcome(train("graph-train{micro-batches=2 clip=0.5 recompute=full}"), train(kTrain), 1e-12);
}

TEST(Precision, OfF32ChangesNothing) { expectSameOutcome(train("precision," + kTrain), train(kTrain), 0); }

TEST(Precision, OfBf16StaysNearF32AndRoundsTheMaster) {
  Outcome narrow = train("graph-train{compute=bf16 micro-batches=2 clip=0.5}", /*roundToTypes=*/true);
  Outcome wide = train("graph-train{micro-batches=2 clip=0.5}");
  double loss = wide.reports.at("loss").data.front();
  EXPECT_NEAR(narrow.reports.at("loss").data.front(), loss, 0.02 * loss);
  EXPECT_NE(narrow.reports.at("loss").data.front(), loss);
  mlir::MLIRContext context;
  for (auto &[name, value] : wide.states) {
    if (name.ends_with(".momentum") || name.ends_with(".variance"))
      continue;
    Tensor rounded = narrow.states.at(name + ".master");
    interpreter::roundTo(rounded, mlir::BFloat16Type::get(&context));
    EXPECT_EQ(narrow.states.at(name), rounded) << name;
  }
}

} // namespace
} // namespace windlass::graph
