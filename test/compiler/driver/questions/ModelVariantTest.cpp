// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/ModelVariant.h"
#include "runtime/base/File.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace windlass;
using nlohmann::json;

namespace {

constexpr const char *kFull = "full_attention", *kSliding = "sliding_attention";

ModelVariant variantOf(const json &config) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "model-variant";
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(writeFileAtomically((folder / "config.json").string(), config.dump()).isOk());
  Result<ModelVariant> variant = ModelVariant::of(folder.string());
  EXPECT_TRUE(variant.isOk()) << variant.status().message();
  return variant.take();
}

json written(const Result<std::string> &file) {
  EXPECT_TRUE(file.isOk()) << file.status().message();
  return json::parse(readFile(*file).take());
}

/// The configuration with so many layers, made of one with these keys.
json withLayers(const json &keys, int64_t layers) {
  json config = {{"model_type", "mistral"}, {"hidden_size", 64}, {"num_attention_heads", 4}};
  config.update(keys);
  return written(variantOf(config).withLayers(layers));
}

/// The configuration of this hidden size, made of one with 64 and the keys.
json withHidden(const json &keys, int64_t hidden) {
  json config = {{"hidden_size", 64}, {"num_attention_heads", 32}, {"num_hidden_layers", 2}};
  config.update(keys);
  return written(variantOf(config).withHidden(hidden));
}

json typesWith(const json &types, int64_t layers) {
  const json config = withLayers(
      {{"num_hidden_layers", types.size()}, {"layer_types", types}, {"sliding_window", 8}}, layers);
  EXPECT_EQ(config["num_hidden_layers"], layers);
  return config["layer_types"];
}

} // namespace

TEST(ModelVariant, TypesOfLayersRepeat) {
  const json oneOfThree = {kSliding, kSliding, kFull, kSliding, kSliding};
  EXPECT_EQ(typesWith(oneOfThree, 8),
            json({kSliding, kSliding, kFull, kSliding, kSliding, kFull, kSliding, kSliding}));
  EXPECT_EQ(typesWith(oneOfThree, 2), json({kSliding, kSliding}));
  EXPECT_EQ(typesWith(oneOfThree, 5), oneOfThree);
  EXPECT_EQ(typesWith({kFull, kFull}, 3), json({kFull, kFull, kFull}));
  // Without a pattern the whole list is one.
  EXPECT_EQ(typesWith({kFull, kFull, kSliding}, 7),
            json({kFull, kFull, kSliding, kFull, kFull, kSliding, kFull}));
}

TEST(ModelVariant, WhatIsNoListOfAllLayersStays) {
  const json others[] = {json(nullptr), json::array({kFull}), json(kFull)};
  for (const json &types : others)
    EXPECT_EQ(withLayers({{"num_hidden_layers", 2}, {"layer_types", types}}, 4)["layer_types"], types);
  EXPECT_FALSE(withLayers({{"num_hidden_layers", 2}}, 4).contains("layer_types"));
}

/// transformers' defaults, whatever the hidden size.
TEST(ModelVariant, SizesThatAreLeftOutGrowFromTheirDefaults) {
  const std::pair<const char *, int64_t> families[] = {{"llama", 11008}, {"mistral", 14336}, {"qwen2", 22016},
                                                       {"qwen3", 22016}, {"bert", 3072},     {"vit", 3072}};
  for (const auto &[family, inner] : families) {
    EXPECT_EQ(withHidden({{"model_type", family}}, 128)["intermediate_size"], 2 * inner) << family;
    EXPECT_EQ(withHidden({{"model_type", family}, {"intermediate_size", nullptr}}, 32)["intermediate_size"],
              inner / 2)
        << family;
    EXPECT_EQ(withHidden({{"model_type", family}, {"intermediate_size", 100}}, 128)["intermediate_size"], 200)
        << family;
  }
  EXPECT_EQ(withHidden({{"architectures", {"LlamaForCausalLM"}}}, 128)["intermediate_size"], 22016);
}

TEST(ModelVariant, SizesThatFollowFromTheHiddenSizeAreLeftOut) {
  const json gpt2 = withHidden({{"model_type", "gpt2"}}, 128); // n_inner: 4 times the hidden size
  EXPECT_FALSE(gpt2.contains("n_inner") || gpt2.contains("intermediate_size"));
  EXPECT_FALSE(withHidden({{"model_type", "llama"}}, 128).contains("num_key_value_heads")); // one for each
  EXPECT_FALSE(withHidden({{"model_type", "unknown"}}, 128).contains("intermediate_size"));
}

TEST(ModelVariant, HeadsOfKeysThatAreLeftOutStayOrAreAsManyAsHeads) {
  const json mistral = {{"model_type", "mistral"}}; // 8 heads of keys, 32 heads of two columns
  EXPECT_EQ(withHidden(mistral, 128)["num_key_value_heads"], 8);
  EXPECT_EQ(withHidden({{"model_type", "qwen2"}}, 128)["num_key_value_heads"], 64); // 32 of each before
  EXPECT_EQ(
      withHidden({{"model_type", "mistral"}, {"num_key_value_heads", nullptr}}, 128)["num_key_value_heads"],
      json(nullptr)); // as many as heads
  json config = {{"hidden_size", 64}, {"num_attention_heads", 32}, {"num_hidden_layers", 2}};
  config.update(mistral);
  EXPECT_EQ(variantOf(config).hiddenUnit(), 16); // heads stay a multiple of the heads of keys
}
