// Gradients that differentiate builds, against finite differences and against micro-batches run one by one.

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
    // Every parameter, and of the larger ones elements of several rows and columns.
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

/// Columns [first, first + count) of a matrix.
Tensor columnsOf(const Tensor &matrix, int64_t first, int64_t count) {
  Tensor part(std::vector<int64_t>{matrix.shape[0], count});
  for (int64_t row = 0; row < matrix.shape[0]; ++row)
    for (int64_t column = 0; column < count; ++column)
      part.data[row * count + column] = matrix.data[row * matrix.shape[1] + first + column];
  return part;
}

TEST(Gradients, OfTilesAreTilesOfTheGradient) {
  TrainingModule whole("differentiate");
  auto wholeRun = whole.interpret();
  Reports expected = runStep(wholeRun, "train");

  // 512 bytes: two tiles of the three larger weights of each layer.
  TrainingModule tiled("tile-matmuls{limit=512},differentiate");
  auto tiledRun = tiled.interpret();
  interpreter::States &states = tiledRun.states();
  states = wholeRun.states();
  int tiledWeights = 0;
  for (auto &[name, value] : wholeRun.states()) {
    if (tiled.module->lookupSymbol(name))
      continue;
    ++tiledWeights;
    int64_t half = value.shape[1] / 2;
    Tensor gradient = expected.at("gradient/" + name);
    expected.erase("gradient/" + name);
    for (int64_t tile : {0, 1}) {
      std::string tileName = name + ".tile" + std::to_string(tile);
      states[tileName] = columnsOf(value, tile * half, half);
      expected["gradient/" + tileName] = columnsOf(gradient, tile * half, half);
    }
  }
  EXPECT_EQ(tiledWeights, 6);
  expectSame(runStep(tiledRun, "train"), expected, 1e-12);
}

} // namespace
} // namespace windlass::graph
