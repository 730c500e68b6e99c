// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fresh run starts from the values of weight files, wherever its pieces rest, or is refused.
#include "runtime/training/states/StartingWeights.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Enums.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"
#include "test/support/TensorFile.h"
#include <bit>
#include <gtest/gtest.h>

namespace windlass {
namespace {

using plan::StateClass;

class StartingWeightsTest : public testing::Test {
protected:
  /// The toy plan with "w" (300 x 2) and "c" from a file. "b" keeps its initialiser.
  plan::Plan planWithWeights(ToyOptions options, bool transposed = false) {
    options.vocabulary = 600;
    plan::Plan plan = toyPlan(options);
    const std::string path = test::writeTensors(
        folder / "model.safetensors",
        {{"w",
          test::countingTensor(transposed ? std::vector<int64_t>{2, 300} : std::vector<int64_t>{300, 2})},
         {"c", test::tensorOf<uint16_t>("BF16", {5}, {0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0})}});
    const SafetensorsReader file = SafetensorsReader::open(path).take();
    plan.weights = {{path, std::ssize(readText(path)), *hashOfFile(path)}};
    for (plan::State &state : plan.programs[0].states)
      if (const TensorEntry *entry = file.find(state.name);
          entry && (state.cls == StateClass::Parameter || state.cls == StateClass::Master))
        state.source = {0, state.name, *plan::fromText<plan::StoredType>(entry->type), file.placeOf(*entry),
                        transposed && state.name == "w"};
    return plan;
  }

  std::string refusal(const plan::Plan &plan, const std::string &where = "") {
    Result<StartingWeights> weights = StartingWeights::open(plan, where);
    EXPECT_FALSE(weights);
    EXPECT_EQ(weights.status().code(), ExitCode::BadInput);
    return weights.status().message();
  }

  TemporaryFolder folder;
};

TEST_F(StartingWeightsTest, everyLayoutStartsFromTheSameValues) {
  for (int64_t ranks : {1, 2, 4})
    for (bool sharded : {true, false})
      for (bool mixed : {true, false})
        for (bool transposed : {true, false}) {
          ToyOptions options;
          options.ranks = ranks;
          options.sharded = sharded;
          options.mixed = mixed;
          const plan::Plan plan = planWithWeights(options, transposed);
          FakeExecutor executor(plan);
          Result<StartingWeights> weights = StartingWeights::open(plan, "");
          ASSERT_TRUE(weights) << weights.status().message();
          ASSERT_TRUE(StateStream(plan, executor).writeAll(weights->values(1)).isOk());
          const StateClass kept = mixed ? StateClass::Master : StateClass::Parameter;
          const std::vector<float> w = executor.logical(kept, "w");
          ASSERT_EQ(w.size(), 600u);
          for (int64_t i = 0; i < 600; ++i)
            ASSERT_EQ(w[static_cast<size_t>(i)],
                      static_cast<float>(1 + (transposed ? i % 2 * 300 + i / 2 : i)))
                << i;
          EXPECT_EQ(executor.logical(kept, "c"), (std::vector<float>{1, 2, 3, 4, 5}));
          EXPECT_EQ(executor.logical(kept, "b"), std::vector<float>(3, 0.0f));
          EXPECT_EQ(executor.logical(StateClass::Momentum, "w"), std::vector<float>(600, 0.0f));
          if (mixed) {
            const std::vector<float> rounded = executor.logical(StateClass::Parameter, "w");
            for (size_t i = 0; i < 600; ++i)
              ASSERT_EQ(std::bit_cast<uint32_t>(rounded[i]) >> 16, roundToBf16(w[i])) << i;
          }
        }
}

TEST_F(StartingWeightsTest, aSliceStartsFromItsPartOfTheTensor) {
  plan::Plan plan = planWithWeights({});
  auto w = std::find_if(
      plan.programs[0].states.begin(), plan.programs[0].states.end(),
      [](const plan::State &state) { return state.cls == StateClass::Parameter && state.name == "w"; });
  w->shape = {100, 2}; // columns [1, 3) of the file's 600 elements as 100 x 6
  w->slice = {{100, 6}, {0, 1}};
  FakeExecutor executor(plan);
  Result<StartingWeights> weights = StartingWeights::open(plan, "");
  ASSERT_TRUE(weights) << weights.status().message();
  ASSERT_TRUE(StateStream(plan, executor).writeAll(weights->values(1)).isOk());
  const std::vector<float> held = executor.logical(StateClass::Parameter, "w");
  ASSERT_EQ(held.size(), 200u);
  for (int64_t i = 0; i < 200; ++i)
    ASSERT_EQ(held[static_cast<size_t>(i)], static_cast<float>(1 + i / 2 * 6 + 1 + i % 2)) << i;
}

TEST_F(StartingWeightsTest, anotherFileIsRefused) {
  const plan::Plan plan = planWithWeights({});
  const std::string path = plan.weights[0].path, sound = readText(path);
  EXPECT_NE(refusal(plan, folder / "elsewhere").find(folder / "elsewhere/model.safetensors: cannot open"),
            std::string::npos);

  folder.write("model.safetensors", sound.substr(0, sound.size() - 1));
  EXPECT_TRUE(refusal(plan).starts_with(path + ": has " + std::to_string(sound.size() - 1) + " bytes"));

  std::string changed = sound;
  changed.back() ^= 1;
  folder.write("model.safetensors", changed);
  EXPECT_TRUE(refusal(plan).starts_with(path + ": has hash "));

  std::filesystem::remove(path);
  const std::string missing = refusal(plan);
  EXPECT_NE(missing.find(path + ": cannot open: No such file"), std::string::npos) << missing;
  EXPECT_NE(missing.find("--weights"), std::string::npos) << missing;

  std::filesystem::create_directory(folder / "elsewhere");
  folder.write("elsewhere/model.safetensors", sound);
  EXPECT_TRUE(StartingWeights::open(plan, folder / "elsewhere"));
}

} // namespace
} // namespace windlass
