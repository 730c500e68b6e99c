// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/ModelVariant.h"
#include "runtime/base/File.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace windlass;
using nlohmann::json;

namespace {

constexpr const char *kFull = "full_attention", *kSliding = "sliding_attention";

/// The configuration with so many layers, made of one with these keys.
json withLayers(const json &keys, int64_t layers) {
  json config = {{"model_type", "mistral"}, {"hidden_size", 64}, {"num_attention_heads", 4}};
  config.update(keys);
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "model-variant";
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(writeFileAtomically((folder / "config.json").string(), config.dump()).isOk());
  Result<ModelVariant> variant = ModelVariant::of(folder.string());
  EXPECT_TRUE(variant.isOk()) << variant.status().message();
  Result<std::string> file = variant->withLayers(layers);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  return json::parse(readFile(*file).take());
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
