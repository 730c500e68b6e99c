// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Training with dropout: its gradients, and the passes that must not change them.

#include "test/passes/Graph/TrainingModule.h"

namespace windlass::graph {
namespace {

double lossOf(const std::string &pipeline, const std::string &step, const Edits &edits,
              const interpreter::States &states = {}) {
  TrainingModule model(pipeline, edits);
  auto interpreter = model.interpret();
  interpreter.states() = states;
  return runStep(interpreter, step).at("loss").data.front();
}

const std::string kForward = "materialize-dropout";

TEST(Dropout, changesTheLossOfTrainingAlone) {
  const double plain = lossOf("", "evaluate", {});
  EXPECT_EQ(lossOf("", "evaluate", kWithDropout), plain);
  EXPECT_EQ(lossOf(kForward, "evaluate", kWithDropout), plain);
  EXPECT_GT(std::fabs(lossOf(kForward, "train", kWithDropout) - plain), 1e-3 * plain);
}

TEST(Dropout, ofRateZeroIsNone) {
  Edits none = kWithDropout;
  for (auto &[from, to] : none)
    for (const char *rate : {"0.25", "0.5", "0.125"})
      if (size_t at = to.find(rate); at != std::string::npos)
        to.replace(at, std::strlen(rate), "0.0");
  TrainingModule model("graph-train", none), plain("graph-train");
  auto some = model.interpret(), expected = plain.interpret();
  expectSame(runStep(some, "train"), runStep(expected, "train"), 0);
}

/// The masks depend on the feeds and not on the parameters, so that they stay the same.
TEST(Dropout, gradientsAreTheSlopesOfTheLoss) {
  TrainingModule model(kForward + ",differentiate", kWithDropout);
  auto interpreter = model.interpret();
  Reports reports = runStep(interpreter, "train");
  const interpreter::States &states = interpreter.states();
  ASSERT_EQ(states.size(), 18u);
  TrainingModule forward(kForward, kWithDropout);
  auto lossAt = [&](interpreter::States moved) {
    auto run = forward.interpret();
    run.states() = std::move(moved);
    return runStep(run, "train").at("loss").data.front();
  };
  constexpr double kStep = 1e-5, kSeed = 0.125;
  EXPECT_EQ(reports.at("loss").data.front(), lossAt(states));
  for (auto &[name, value] : states) {
    const Tensor &gradient = reports.at("gradient/" + name);
    for (int64_t i = 0; i < value.size(); i += value.size() > 32 ? 37 : 5) {
      interpreter::States above = states, below = states;
      above.at(name).data[i] += kStep;
      below.at(name).data[i] -= kStep;
      const double slope = (lossAt(above) - lossAt(below)) / (2 * kStep) * kSeed;
      EXPECT_NEAR(gradient.data[i], slope, 1e-8 + 1e-6 * std::fabs(slope)) << name << "[" << i << "]";
    }
  }
}

/// Two micro-batches of one train step.
Reports train(const std::string &passes, bool narrow) {
  const std::string types = narrow ? "precision{compute=bf16}," : "";
  TrainingModule model(types + kForward + ",differentiate{micro-batches=2}" + passes, kWithDropout);
  auto interpreter = model.interpret(/*roundToTypes=*/narrow);
  return runStep(interpreter, "train");
}

TEST(Dropout, isReplayedByRecomputation) {
  for (bool narrow : {false, true}) {
    Reports kept = train("", narrow);
    expectSame(train(",recompute{mode=full}", narrow), kept, 0);
    expectSame(train(",recompute{mode=full every=2}", narrow), kept, 0);
  }
}

TEST(Dropout, isTheSameDecomposedAndFused) {
  Reports composite = train("", false);
  Reports decomposed = train(",decompose-composites,canonicalize", false);
  expectSame(decomposed, composite, 1e-12);
  expectSame(train(",decompose-composites,canonicalize,fuse-maps", false), decomposed, 0);
}

/// A mask is drawn from integers, so that rounding all other values to 16 bits does not change it.
TEST(Dropout, ofBf16HasTheSameMask) {
  const double wide = train("", false).at("loss").data.front();
  EXPECT_NEAR(train("", true).at("loss").data.front(), wide, 0.02 * wide);
}

TEST(Dropout, keepsNoMask) {
  TrainingModule dropping(kForward + ",differentiate", kWithDropout), plain("differentiate");
  auto residuals = [](TrainingModule &model, const char *name) {
    auto function = model.module->lookupSymbol<mlir::func::FuncOp>(name);
    int64_t elements = 0;
    for (unsigned i = 1; function && i < function.getNumResults(); ++i)
      elements += llvm::cast<mlir::RankedTensorType>(function.getResultTypes()[i]).getNumElements();
    EXPECT_TRUE(function) << name;
    return elements;
  };
  EXPECT_EQ(residuals(dropping, "block.train.fwd"), residuals(plain, "block.fwd"));
}

} // namespace
} // namespace windlass::graph
