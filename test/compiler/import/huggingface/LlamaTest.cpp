// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configs of the llama family become the states and layers of transformers' ...ForCausalLM.
#include "compiler/import/huggingface/RotaryConfig.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/fixtures/Fixture.h"
#include <cmath>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A sound config. Each of `keys` begins with a comma, and is added or replaces a key.
ConfigFile Config(const std::string &keys, const std::string &family = "llama") {
  return ConfigFile(R"({"hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 3,
      "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4, "vocab_size": 5,
      "model_type": ")" +
                        family + "\"}",
                    keys);
}

TEST(Llama, keysThatAreNullHaveTransformersMeaning) {
  MLIRContext context;
  for (const char *family : {"llama", "qwen2"}) {
    ConfigFile config = Config(R"(, "num_key_value_heads": null)", family);
    auto module = importOrFail(context, config.path(), trainingOf(1));
    ASSERT_TRUE(module);
    auto keys = statesOf(*module).at("model.layers.0.self_attn.k_proj.weight");
    EXPECT_EQ(cast<RankedTensorType>(keys.getType()).getDimSize(0), 8) << family; // as many as query heads
  }
}

class Families : public ::testing::TestWithParam<const char *> {};

TEST_P(Families, statesAreThoseOfTransformers) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath(GetParam()), trainingOf(4));
  ASSERT_TRUE(module);
  auto states = statesOf(*module);
  Fixture fixture(std::string(GetParam()) + "/f32.safetensors");
  size_t count = 0;
  for (const auto &[name, tensor] : fixture.all()) {
    if (!name.starts_with("initial/"))
      continue;
    ++count;
    auto state = states.find(name.substr(8));
    ASSERT_NE(state, states.end()) << name;
    EXPECT_EQ(cast<RankedTensorType>(state->second.getType()).getShape(), ArrayRef(tensor.shape)) << name;
    EXPECT_EQ(state->second.getGroup(), tensor.shape.size() >= 2 ? "decay" : "no_decay") << name;
  }
  EXPECT_EQ(states.size(), count);
}

INSTANTIATE_TEST_SUITE_P(Llama, Families, ::testing::Values("llama", "mistral", "qwen2", "qwen3"),
                         [](const auto &info) { return std::string(info.param); });

/// The windows of a module's attentions, by the name of their function; 0: none.
std::map<std::string, int64_t> windowsOf(const std::string &path) {
  MLIRContext context;
  std::map<std::string, int64_t> windows;
  auto module = importOrFail(context, path, trainingOf(1));
  if (module)
    module->walk([&](graph::AttentionOp op) {
      windows[op->getParentOfType<func::FuncOp>().getName().str()] = op.getWindow().value_or(0);
    });
  return windows;
}

TEST(Llama, windowsAreTheFamilys) {
  using Windows = std::map<std::string, int64_t>;
  EXPECT_EQ(windowsOf(Config("").path()), (Windows{{"layer", 0}}));
  EXPECT_EQ(windowsOf(Config("", "mistral").path()), (Windows{{"window.layer", 4096}}));
  EXPECT_EQ(windowsOf(Config(R"(, "sliding_window": null)", "mistral").path()), (Windows{{"layer", 0}}));
  EXPECT_EQ(windowsOf(Config(R"(, "sliding_window": 3,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention"])",
                             "mistral")
                          .path()),
            (Windows{{"layer", 0}, {"window.layer", 3}}));
  EXPECT_EQ(windowsOf(Config(R"(, "sliding_window": 3)", "qwen2").path()), (Windows{{"layer", 0}}));
  EXPECT_EQ(windowsOf(Config(R"(, "sliding_window": 3, "use_sliding_window": true, "max_window_layers": 1)",
                             "qwen2")
                          .path()),
            (Windows{{"layer", 0}, {"window.layer", 3}}));
  EXPECT_EQ(windowsOf(Config(R"(, "sliding_window": 3, "use_sliding_window": true,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention"])",
                             "qwen3")
                          .path()),
            (Windows{{"layer", 0}, {"window.layer", 3}}));
}

TEST(Llama, layersKeepTheirNumbersAcrossRuns) {
  MLIRContext context;
  ConfigFile config =
      Config(R"(, "sliding_window": 3, "use_sliding_window": true, "max_window_layers": 1)", "qwen2");
  auto module = importOrFail(context, config.path(), trainingOf(1));
  ASSERT_TRUE(module);
  SmallVector<std::string> calls;
  module->lookupSymbol<graph::StepOp>("evaluate").walk([&](func::CallOp call) {
    calls.push_back(call->getAttrOfType<StringAttr>("layer").str() + " " + call.getCallee().str());
  });
  EXPECT_EQ(calls,
            (SmallVector<std::string>{"layers.0 layer", "layers.1 window.layer", "layers.2 window.layer"}));
  EXPECT_TRUE(module->lookupSymbol("model.layers.2.self_attn.q_proj.bias"));
  EXPECT_FALSE(module->lookupSymbol("model.layers.2.self_attn.o_proj.bias"));
}

TEST(Llama, whatIsNotBuiltIsRefused) {
  EXPECT_EQ(Config(R"(, "num_key_value_heads": 3)").refusal(),
            "num_key_value_heads: must divide num_attention_heads = 4, is 3");
  EXPECT_EQ(Config(R"(, "num_attention_heads": 3)").refusal(),
            "num_attention_heads: must divide hidden_size = 8, is 3");
  for (const char *heads : {"0", "[]", "1e12"}) { // there is no division by 0
    const std::string refusal = Config(R"(, "num_attention_heads": )" + std::string(heads)).refusal();
    EXPECT_TRUE(refusal.starts_with("num_attention_heads: must be ")) << refusal;
  }
  EXPECT_EQ(Config(R"(, "head_dim": 3)").refusal(), "head_dim: must be even, is 3");
  EXPECT_EQ(Config(R"(, "is_causal": false)").refusal(),
            "is_causal: must be true: the other form is not built, is false");
  EXPECT_EQ(
      Config(R"(, "rope_scaling": {"rope_type": "longrope", "factor": 2.0})").refusal(),
      "rope_scaling.rope_type: must be \"default\", \"linear\", \"dynamic\", \"llama3\" or \"yarn\", is "
      "\"longrope\"");
  EXPECT_EQ(Config(R"(, "rope_scaling": {"rope_type": "linear"})").refusal(),
            "rope_scaling.factor: is missing");
  EXPECT_EQ(Config(R"(, "use_sliding_window": true, "layer_types": ["full_attention"])", "qwen3").refusal(),
            "layer_types: must name the type of each of 3 layers");
  EXPECT_EQ(
      Config(R"(, "layer_types": ["full_attention", "sliding_attention", "full_attention"])", "qwen2")
          .refusal(),
      "layer_types[1]: needs \"use_sliding_window\" and a \"sliding_window\", is \"sliding_attention\"");
  EXPECT_EQ(
      Config(
          R"(, "sliding_window": null, "layer_types": ["full_attention", "sliding_attention", "full_attention"])",
          "mistral")
          .refusal(),
      "layer_types[1]: needs a \"sliding_window\", is \"sliding_attention\"");
  EXPECT_EQ(Config(R"(, "rope_scaling": {"rope_type": "linear", "type": "dynamic", "factor": 2})").refusal(),
            "rope_scaling.type: must be \"linear\", as \"rope_type\", is \"dynamic\"");
  EXPECT_EQ(Config(R"(, "per_layer_config": {"1": {"intermediate_size": 8}})").refusal(),
            "per_layer_config: must not be there: the model that it means is not built");
  EXPECT_EQ(Config(R"(, "quantization_config": {"bits": 4})").refusal(),
            "quantization_config: must not be there: the model that it means is not built");
  for (const char *keys :
       {R"(, "rope_parameters": {"rope_type": "linear", "factor": 2, "partial_rotary_factor": 0.5})",
        R"(, "partial_rotary_factor": 0.5, "rope_parameters": {"rope_type": "linear", "factor": 2})"})
    EXPECT_TRUE(Config(keys).refusal().ends_with("partial_rotary_factor: must be 1 with the rotary type "
                                                 "\"linear\", as transformers cannot turn a part of a head's "
                                                 "columns, is 0.5"))
        << Config(keys).refusal();
}

//===----------------------------------------------------------------------===//
// Rotary frequencies, as transformers 5.23 computes them for heads of 16 and base and lengths as below
//===----------------------------------------------------------------------===//

nlohmann::json tableOfConfig(const nlohmann::json &config, int64_t positions, int64_t sequence) {
  Status failure;
  JsonReader reader(config, "config.json", failure);
  nlohmann::json table = describeRotary(reader, {16, positions, sequence});
  EXPECT_TRUE(failure) << failure.message();
  EXPECT_TRUE(reader.unknown().empty()) << reader.unknown().front();
  return table;
}

nlohmann::json tableOf(const std::string &rope, int64_t positions, int64_t sequence) {
  return tableOfConfig({{"rope_parameters", nlohmann::json::parse(rope)}}, positions, sequence);
}

/// Some versions of transformers save both names of the type.
TEST(Llama, theTypeOfAngleScalingMayBeSaidTwice) {
  EXPECT_EQ(tableOf(R"({"rope_type": "linear", "type": "linear", "factor": 2})", 8, 8),
            tableOf(R"({"rope_type": "linear", "factor": 2})", 8, 8));
}

void expectFrequencies(const nlohmann::json &table, const std::vector<float> &expected) {
  ASSERT_EQ(table["frequencies"].size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) // powers may differ in their last bit
    EXPECT_NEAR(table["frequencies"][i].get<double>() / static_cast<double>(expected[i]), 1, 2e-7) << i;
}

TEST(RotaryFrequencies, linearScalingDividesThem) {
  nlohmann::json table = tableOf(R"({"rope_type": "linear", "rope_theta": 10000, "factor": 3})", 2048, 64);
  expectFrequencies(table, {0.333333343F, 0.105409257F, 0.0333333351F, 0.0105409259F, 0.00333333318F,
                            0.00105409266F, 0.000333333359F, 0.000105409265F});
  EXPECT_NEAR(table["factor"].get<double>(), 1.0, 1e-12);
}

TEST(RotaryFrequencies, llama3StretchesLongWaves) {
  nlohmann::json table = tableOf(
      R"({"rope_type": "llama3", "rope_theta": 500000, "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
      "original_max_position_embeddings": 512})",
      2048, 64);
  expectFrequencies(table, {1.0F, 0.193922758F, 0.0273441337F, 0.000911583134F, 0.000176776681F,
                            3.42810235e-05F, 6.64786967e-06F, 1.28917316e-06F});
  EXPECT_NEAR(table["factor"].get<double>(), 1.0, 1e-12);
}

TEST(RotaryFrequencies, yarnRampsBetweenThem) {
  nlohmann::json table = tableOf(R"({"rope_type": "yarn", "rope_theta": 10000, "factor": 4,
      "original_max_position_embeddings": 512})",
                                 2048, 64);
  expectFrequencies(table, {1.0F, 0.25693506F, 0.0625F, 0.0138349654F, 0.00249999994F, 0.000790569466F,
                            0.000250000012F, 7.90569466e-05F});
  EXPECT_NEAR(table["factor"].get<double>(), 1.138629436111989, 1e-12);
  nlohmann::json given = tableOf(R"({"rope_type": "yarn", "rope_theta": 10000, "factor": 4,
      "original_max_position_embeddings": 512, "attention_factor": 0.5, "mscale": 0.7, "mscale_all_dim": 1})",
                                 2048, 64);
  EXPECT_EQ(given["factor"], 0.5);
}

TEST(RotaryFrequencies, dynamicScalingRaisesTheBaseOfLongSequences) {
  nlohmann::json table = tableOf(R"({"rope_type": "dynamic", "rope_theta": 10000, "factor": 2})", 512, 1024);
  expectFrequencies(table, {1.0F, 0.270296127F, 0.0730599985F, 0.0197478328F, 0.00533776265F, 0.00144277664F,
                            0.000389976922F, 0.000105409257F});
  EXPECT_NEAR(table["factor"].get<double>(), 1.0, 1e-12);
}

TEST(RotaryFrequencies, dynamicScalingLeavesShortSequencesAlone) {
  const std::string rope = R"({"rope_type": "dynamic", "rope_theta": 10000, "factor": 2})";
  EXPECT_EQ(tableOf(rope, 512, 512)["frequencies"], tableOf("{}", 512, 512)["frequencies"]);
}

/// With the default type all columns are turned, whatever share of them a config names.
TEST(RotaryFrequencies, noShareOfColumnsIsOfTheDefaultType) {
  const nlohmann::json whole = tableOf("{}", 512, 512)["frequencies"];
  const nlohmann::json type = {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}};
  EXPECT_EQ(whole.size(), 8u);
  EXPECT_EQ(tableOfConfig({{"rope_parameters", type}}, 512, 512)["frequencies"], whole);
  EXPECT_EQ(tableOfConfig({{"rope_scaling", type}}, 512, 512)["frequencies"], whole);
  EXPECT_EQ(tableOfConfig({{"partial_rotary_factor", 0.5}}, 512, 512)["frequencies"], whole);
}

TEST(RotaryFrequencies, areThoseOfTheOlderKeyWhereBothAreGiven) {
  const nlohmann::json linear = {{"type", "linear"}, {"factor", 3}}, usual = {{"rope_type", "default"}};
  const nlohmann::json scaled = tableOfConfig({{"rope_scaling", linear}}, 512, 512);
  EXPECT_EQ(tableOfConfig({{"rope_scaling", linear}, {"rope_parameters", usual}}, 512, 512), scaled);
  EXPECT_EQ(
      tableOfConfig({{"rope_scaling", nlohmann::json::object()}, {"rope_parameters", linear}}, 512, 512),
      scaled);
  EXPECT_EQ(tableOfConfig({{"rope_scaling", nullptr}, {"rope_parameters", linear}}, 512, 512), scaled);
}

/// A config's own length takes precedence over that of the type. Without either the length is all positions.
TEST(RotaryFrequencies, areStretchedFromTheLengthThatTransformersTakes) {
  const nlohmann::json yarn = {
      {"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 512}};
  nlohmann::json longer = yarn, without = yarn;
  longer["original_max_position_embeddings"] = 1024;
  without.erase("original_max_position_embeddings");
  const nlohmann::json expected = tableOfConfig({{"rope_parameters", yarn}}, 2048, 64);
  EXPECT_NE(tableOfConfig({{"rope_parameters", longer}}, 2048, 64), expected);
  EXPECT_EQ(tableOfConfig({{"rope_parameters", longer}, {"original_max_position_embeddings", 512}}, 2048, 64),
            expected);
  EXPECT_EQ(tableOfConfig({{"rope_parameters", without}}, 512, 64)["frequencies"], expected["frequencies"]);
}

} // namespace
