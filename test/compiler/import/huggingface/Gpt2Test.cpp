// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPT-2 config becomes the states and functions of transformers' GPT2LMHeadModel.
#include "compiler/import/huggingface/Gpt2.h"
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/huggingface/HuggingFace.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/fixtures/Fixture.h"
#include "test/support/Folders.h"
#include <cmath>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A sound config. Each of `keys` begins with a comma, and is added or replaces a key.
ConfigFile Config(const std::string &keys) {
  return ConfigFile(R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_head": 2, "n_positions": 4,
      "vocab_size": 5, "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0})",
                    keys);
}

TEST(Gpt2, statesAreThoseOfTransformers) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath("gpt2"), trainingOf(4));
  ASSERT_TRUE(module);
  auto states = statesOf(*module);
  Fixture fixture("gpt2/f32.safetensors");
  size_t count = 0;
  for (const auto &[name, tensor] : fixture.all()) {
    if (!name.starts_with("initial/"))
      continue;
    ++count;
    auto state = states.find(name.substr(8));
    ASSERT_NE(state, states.end()) << name;
    auto type = cast<RankedTensorType>(state->second.getType());
    EXPECT_EQ(type.getShape(), ArrayRef(tensor.shape)) << name;
    EXPECT_EQ(state->second.getGroup(), tensor.shape.size() >= 2 ? "decay" : "no_decay") << name;
  }
  EXPECT_EQ(states.size(), count);
}

/// transformers has several names for one activation.
TEST(Gpt2, activationsOfTwoNamesAreTheSame) {
  const auto functionsWith = [](const std::string &name) {
    MLIRContext context;
    const ConfigFile config = Config(R"(, "activation_function": ")" + name + "\"");
    auto module = importOrFail(context, config.path(), trainingOf(1));
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (module)
      for (auto function : module->getOps<func::FuncOp>())
        function.print(stream);
    return text;
  };
  for (const auto &[name, other] :
       {std::pair("gelu_fast", "gelu_new"), {"gelu_python", "gelu"}, {"swish", "silu"}}) {
    EXPECT_EQ(functionsWith(name), functionsWith(other));
    EXPECT_NE(functionsWith(name), "");
  }
  EXPECT_NE(functionsWith("gelu"), functionsWith("gelu_new"));
  EXPECT_NE(functionsWith("silu"), functionsWith("gelu"));
}

TEST(Gpt2, initialisationNarrowsWithDepth) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath("gpt2"), trainingOf(4));
  ASSERT_TRUE(module);
  auto states = statesOf(*module);
  auto deviation = [&](const char *name) { return states.at(name).getInit().getStd().getValueAsDouble(); };
  auto constant = [&](const char *name) { return states.at(name).getInit().getMean().getValueAsDouble(); };
  EXPECT_EQ(deviation("transformer.wte.weight"), 0.02);
  EXPECT_EQ(deviation("transformer.h.1.attn.c_attn.weight"), 0.02);
  EXPECT_DOUBLE_EQ(deviation("transformer.h.1.attn.c_proj.weight"), 0.01);
  EXPECT_DOUBLE_EQ(deviation("transformer.h.0.mlp.c_proj.weight"), 0.01);
  EXPECT_EQ(constant("transformer.h.0.ln_1.weight"), 1);
  EXPECT_EQ(constant("transformer.h.0.ln_1.bias"), 0);
  EXPECT_FALSE(states.at("transformer.ln_f.weight").getInit().getNormal());
}

TEST(Gpt2, layersAreOneFunctionCalledOncePerLayer) {
  MLIRContext context;
  auto module =
      importOrFail(context, std::string(WINDLASS_SOURCE_DIR) + "/examples/gpt2-bytes", trainingOf(1));
  ASSERT_TRUE(module);
  SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].getName(), "block");
  SmallVector<std::string> layers;
  module->lookupSymbol<graph::StepOp>("evaluate").walk([&](func::CallOp call) {
    layers.push_back(call->getAttrOfType<StringAttr>("layer").str());
  });
  EXPECT_EQ(layers, (SmallVector<std::string>{"h.0", "h.1", "h.2", "h.3"}));
  EXPECT_EQ((*module)->getAttrOfType<StringAttr>("windlass.model"), "gpt2-bytes");
  EXPECT_EQ((*module)->getAttrOfType<IntegerAttr>("windlass.layers").getInt(), 4);
  EXPECT_EQ((*module)->getAttrOfType<IntegerAttr>("windlass.distinct_layers").getInt(), 1);
  int64_t parameters = 0;
  for (auto state : module->getOps<graph::StateOp>())
    parameters += cast<RankedTensorType>(state.getType()).getNumElements();
  EXPECT_EQ(parameters, 3257856);
}

TEST(Gpt2, aTiedHeadReadsTheEmbeddingOnce) {
  MLIRContext context;
  ConfigFile config = Config("");
  auto module = importOrFail(context, config.path(), trainingOf(2));
  ASSERT_TRUE(module);
  SmallVector<graph::ReadOp> reads;
  module->lookupSymbol<graph::StepOp>("evaluate").walk([&](graph::ReadOp read) {
    if (read.getState() == "transformer.wte.weight")
      reads.push_back(read);
  });
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(std::distance(reads[0]->use_begin(), reads[0]->use_end()), 2);
}

TEST(Gpt2, anUntiedHeadHasItsOwnState) {
  MLIRContext context;
  ConfigFile config = Config(R"(, "tie_word_embeddings": false)");
  auto module = importOrFail(context, config.path(), trainingOf(2));
  ASSERT_TRUE(module);
  EXPECT_EQ(statesOf(*module).count("lm_head.weight"), 1u);
}

TEST(Gpt2, sampleReportsLogitsOfOneSequence) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath("gpt2"), trainingOf(4));
  ASSERT_TRUE(module);
  auto sample = module->lookupSymbol<graph::StepOp>("sample");
  ASSERT_TRUE(sample);
  SmallVector<graph::ReportOp> reports(sample.getOps<graph::ReportOp>());
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].getItem(), "logits");
  EXPECT_EQ(cast<RankedTensorType>(reports[0].getValue().getType()).getShape(), ArrayRef<int64_t>({16, 61}));
  for (auto feed : sample.getOps<graph::FeedOp>())
    EXPECT_EQ(feed.getItem(), "tokens");
}

/// The first names of keys give way to transformers' second names, and n_ctx is not read.
TEST(Gpt2, sizesAreThoseOfTransformers) {
  auto dimsOf = [](const char *keys) {
    auto config = nlohmann::json::parse(keys);
    Status failure;
    JsonReader reader(config, "config.json", failure);
    const nlohmann::json dims = describeGpt2(reader, trainingOf(1))["dims"];
    EXPECT_TRUE(failure) << failure.message();
    EXPECT_TRUE(reader.unknown().empty());
    return dims;
  };
  const nlohmann::json named =
      dimsOf(R"({"n_embd": 32, "hidden_size": 64, "num_hidden_layers": 3, "n_head": 4,
      "num_attention_heads": 2, "max_position_embeddings": 7})");
  EXPECT_EQ(named["D"], 64);
  EXPECT_EQ(named["F"], 256);
  EXPECT_EQ(named["L"], 3);
  EXPECT_EQ(named["H"], 2);
  EXPECT_EQ(named["P"], 7);
  EXPECT_EQ(dimsOf(R"({"n_ctx": 512})")["P"], 1024);
}

TEST(Gpt2, theSequenceMayBeShorterThanThePositions) {
  MLIRContext context;
  auto module = importOrFail(context, fixturePath("gpt2"), trainingOf(2, 5));
  ASSERT_TRUE(module);
  for (auto feed : module->lookupSymbol<graph::StepOp>("evaluate").getOps<graph::FeedOp>())
    EXPECT_EQ(cast<RankedTensorType>(feed.getType()).getShape(), ArrayRef<int64_t>({2, 5}));
}

TEST(Gpt2, whatIsNotBuiltIsRefused) {
  EXPECT_EQ(Config(R"(, "scale_attn_by_inverse_layer_idx": true)").refusal(),
            "scale_attn_by_inverse_layer_idx: must be false: the other form is not built, is true");
  EXPECT_EQ(Config(R"(, "scale_attn_weights": false)").refusal(),
            "scale_attn_weights: must be true: the other form is not built, is false");
  EXPECT_EQ(Config(R"(, "is_causal": false)").refusal(),
            "is_causal: must be true: the other form is not built, is false");
  EXPECT_EQ(Config(R"(, "activation_function": "mish")").refusal(),
            "activation_function: must be \"gelu_new\", \"gelu_pytorch_tanh\", \"gelu_fast\", \"gelu\", "
            "\"gelu_python\", \"relu\", \"tanh\", \"silu\" or \"swish\", is \"mish\"");
  EXPECT_EQ(Config(R"(, "model_type": "mamba")").refusal(),
            "model_type: must be \"gpt2\", \"llama\", \"mistral\", \"qwen2\", \"qwen3\", \"bert\" or "
            "\"vit\", is \"mamba\"");
  EXPECT_EQ(Config(R"(, "architectures": "GPT2LMHeadModel")").refusal(),
            "architectures: must be a list, is \"GPT2LMHeadModel\"");
  EXPECT_EQ(Config(R"(, "architectures": ["GPT2ForSequenceClassification"])").refusal(),
            "architectures[0]: must be \"GPT2LMHeadModel\", is \"GPT2ForSequenceClassification\"");
}

TEST(Gpt2, badSizesAreRefused) {
  EXPECT_EQ(Config(R"(, "n_head": 3)").refusal(), "n_head: must divide n_embd = 8, is 3");
  EXPECT_EQ(Config(R"(, "n_layer": 0)").refusal(), "n_layer: must be a whole number from 1 to 16384, is 0");
  EXPECT_EQ(Config(R"(, "n_embd": 1e30)").refusal(),
            "n_embd: must be a whole number from 1 to 16777216, is 1e+30");
  EXPECT_EQ(Config("").refusal(trainingOf(1, 9)),
            "n_positions: must be at least the training file's \"sequence\" = 9, is 4");
}

} // namespace
