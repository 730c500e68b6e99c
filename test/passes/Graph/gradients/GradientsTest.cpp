// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of differentiate, compared with finite differences and with micro-batches that run one by one.

#include "test/passes/Graph/TrainingModule.h"

namespace windlass::graph {
namespace {

double lossAt(TrainingModule &model, interpreter::States states) {
  auto interpreter = model.interpret();
  interpreter.states() = std::move(states);
  return runStep(interpreter, "evaluate").at("loss").data.front();
}

TEST(Gradients, AreTheSlopesOfTheLoss) {
  TrainingModule model("differentiate");
  auto interpreter = model.interpret();
  Reports reports = runStep(interpreter, "train");
  const interpreter::States &states = interpreter.states();
  ASSERT_EQ(states.size(), 18u);
  constexpr double kStep = 1e-5, kSeed = 0.125;
  EXPECT_EQ(reports.at("loss").data.front(), lossAt(model, states));
  for (auto &[name, value] : states) {
    const Tensor &gradient = reports.at("gradient/" + name);
    ASSERT_EQ(gradient.shape, value.shape) << name;
    // Every parameter, and for the larger ones elements of several rows and columns.
    for (int64_t i = 0; i < value.size(); i += value.size() > 32 ? 37 : 5) {
      interpreter::States above = states, below = states;
      above.at(name).data[i] += kStep;
      below.at(name).data[i] -= kStep;
      double slope = (lossAt(model, above) - lossAt(model, below)) / (2 * kStep) * kSeed;
      EXPECT_NEAR(gradient.data[i], slope, 1e-8 + 1e-6 * std::fabs(slope)) << name << "[" << i << "]";
    }
  }
}

TEST(Gradients, OfMicroBatchesAreAdded) {
  TrainingModule three("differentiate{micro-batches=3}");
  auto together = three.interpret();
  Reports sums = runStep(together, "train");

  TrainingModule one("differentiate");
  Reports added;
  for (int64_t batch = 0; batch < 3; ++batch) {
    auto interpreter = one.interpret();
    auto reports = interpreter.runStep("train", [&](interpreter::FeedRequest request) {
      request.microBatch = batch;
      return drawFeed(request);
    });
    ASSERT_TRUE(reports) << reports.status().message();
    for (interpreter::Report &report : *reports) {
      auto [sum, isFirst] = added.try_emplace(report.item, report.value);
      for (int64_t i = 0; !isFirst && i < report.value.size(); ++i)
        sum->second.data[i] += report.value.data[i];
    }
  }
  expectSame(sums, added, 1e-12);
}

/// The part of a tensor that a tile has.
Tensor partOf(const Tensor &whole, StateOp tile) {
  auto slice = tile.getSliceAttr();
  auto shape = mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape();
  Tensor part(shape.vec());
  for (int64_t i = 0; i < part.size(); ++i) {
    int64_t element = 0, stride = 1, rest = i;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim], stride *= whole.shape[dim])
      element += (slice.getBegin()[dim] + rest % shape[dim]) * stride;
    part.data[i] = whole.data[element];
  }
  return part;
}

/// Runs the train step of a tiled model from the values of `whole`. `tiles` counts the tiles of each tensor.
Reports runTiled(const std::string &limits, const interpreter::States &whole, Reports &expected,
                 std::map<std::string, int> &tiles) {
  TrainingModule tiled("tile-matmuls{" + limits + "},differentiate");
  auto run = tiled.interpret();
  const Reports untiled = expected;
  run.states().clear();
  expected = {{"loss", untiled.at("loss")}};
  for (auto state : tiled.module->getOps<StateOp>()) {
    const std::string name = state.getSymName().str(), original = state.getOriginal().str();
    const Tensor &value = whole.at(original), &gradient = untiled.at("gradient/" + original);
    ++tiles[original];
    run.states()[name] = state.getSlice() ? partOf(value, state) : value;
    expected["gradient/" + name] = state.getSlice() ? partOf(gradient, state) : gradient;
  }
  return runStep(run, "train");
}

TEST(Gradients, OfTilesAreTilesOfTheGradient) {
  TrainingModule whole("differentiate");
  auto wholeRun = whole.interpret();
  const Reports untiled = runStep(wholeRun, "train");
  using Tiles = std::map<std::string, int>;
  const std::vector<std::pair<std::string, Tiles>> cases = {
      // Weights have 768 and 1,024 bytes. The matrices and the bias of the MLP are cut along its inner
      // dimension.
      {"limit=512",
       {{"h.0.qkv.weight", 2}, {"h.0.fc.weight", 2}, {"h.0.fc.bias", 2}, {"h.0.fc2.weight", 2}, {"wte", 1}}},
      // The tied table of 11 rows of 32 bytes is cut, too: in the lookup, in the logits, and in both of their
      // gradients.
      {"limit=32",
       {{"h.0.qkv.weight", 24}, {"h.1.fc2.weight", 32}, {"wte", 11}, {"wpe", 1}, {"h.1.ln_1.bias", 1}}},
      // Inner activations have 12 x 32 elements, and logits 12 x 11, of which the last tile is narrower.
      {"activation=400",
       {{"h.0.fc.weight", 4}, {"h.0.fc.bias", 4}, {"h.0.fc2.weight", 4}, {"h.0.qkv.weight", 1}, {"wte", 2}}},
      {"limit=512 activation=192", {{"h.0.qkv.weight", 2}, {"h.1.fc.weight", 8}, {"wte", 3}}}};
  for (const auto &[limits, counts] : cases) {
    SCOPED_TRACE(limits);
    Reports expected = untiled;
    Tiles tiles;
    const Reports found = runTiled(limits, wholeRun.states(), expected, tiles);
    for (const auto &[name, count] : counts)
      EXPECT_EQ(tiles[name], count) << name;
    expectSame(found, expected, 1e-12);
  }
}

} // namespace
} // namespace windlass::graph
