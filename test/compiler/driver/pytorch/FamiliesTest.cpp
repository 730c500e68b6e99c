// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checkpoint of a model from a Hugging Face folder is such a folder. It has the tensors that transformers
// writes, and transformers loads it and computes the same values.
#include "runtime/base/Safetensors.h"
#include "runtime/training/checkpoint/Checkpoint.h"
#include "test/compiler/driver/pytorch/RoundTrip.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A folder of test/fixtures with a config.json, and the number of examples of its fixture.
struct Family {
  std::string name;
  int64_t examples = 4;
};

const Family kFamilies[] = {{"gpt2"},        {"llama"},       {"mistral"},        {"qwen2"},
                            {"qwen3"},       {"bert"},        {"bert_sequences"}, {"bert_regression"},
                            {"bert_tokens"}, {"bert_untied"}, {"vit", 8}};

std::unique_ptr<Compiled> compileFamily(const Family &family) {
  Job job = tinyGpt2(2, 1);
  job.model = json::parse(readText(Fixture::folder() + family.name + "/config.json"));
  return compileJob(job);
}

TEST(FamiliesTest, checkpointsHaveTransformersNamesAndShapes) {
  const json saved = json::parse(readText(Fixture::folder() + "checkpoint_shapes.json"));
  ASSERT_EQ(saved.size(), std::size(kFamilies));
  for (const Family &family : kFamilies) {
    SCOPED_TRACE(family.name);
    std::unique_ptr<Compiled> compiled = compileFamily(family);
    ASSERT_TRUE(compiled);
    std::unique_ptr<Executor> executor = openExecutor(*compiled, compiled->plan);
    ASSERT_TRUE(executor);
    TemporaryFolder folder;
    StateStream states(compiled->plan, *executor);
    ASSERT_TRUE(writeCheckpoint(folder.path, compiled->plan, states, {}));
    Result<SafetensorsReader> written = SafetensorsReader::open(folder / "model.safetensors");
    ASSERT_TRUE(written) << written.status().message();
    json shapes = json::object();
    for (const auto &[name, entry] : written->tensors())
      shapes[name] = entry.shape;
    EXPECT_EQ(shapes, saved.at(family.name)) << json::diff(saved.at(family.name), shapes);
  }
}

/// Trains a family, saves a checkpoint in `folder`, and returns the values that the trained plan computes.
json trainAndCompute(const Family &family, const std::string &folder) {
  std::unique_ptr<Compiled> compiled = compileFamily(family);
  std::unique_ptr<Executor> executor = compiled ? openExecutor(*compiled, compiled->plan) : nullptr;
  if (!executor)
    return {};
  const plan::Plan &plan = compiled->plan;
  EXPECT_EQ(trainOn(plan, *executor).losses.size(), 3u);
  std::filesystem::create_directory(folder);
  StateStream states(plan, *executor);
  Status written = writeCheckpoint(folder, plan, states, {});
  EXPECT_TRUE(written) << written.message();

  const std::string file = family.name + "/f32.safetensors";
  const Fixture fixture(file);
  json computed = {{"folder", folder},
                   {"inputs", Fixture::folder() + file},
                   {"losses", evaluateRows(plan, *executor, fixture, family.examples)},
                   {"logits", json::array()}};
  if (fixture.all().contains("input/tokens")) {
    const Fixture::Tensor &tokens = fixture.at("input/tokens");
    const std::vector<double> first(tokens.data.begin(), tokens.data.begin() + tokens.shape[1]);
    computed["logits"] = sampleLogits(plan, *executor, {first.begin(), first.end()});
  }
  return computed;
}

TEST(FamiliesTest, transformersLoadsWhatWasTrainedAndComputesTheSame) {
  TemporaryFolder folder;
  json computed = json::array();
  for (const Family &family : kFamilies) {
    SCOPED_TRACE(family.name);
    computed.push_back(trainAndCompute(family, folder / family.name));
  }
  ASSERT_FALSE(HasFailure());
  const int code =
      runScript("compare_with_transformers.py", {folder.write("computed.json", computed.dump())});
  if (code == kSkipped)
    GTEST_SKIP() << "transformers is not installed for " << python();
  EXPECT_EQ(code, 0);
}

} // namespace
