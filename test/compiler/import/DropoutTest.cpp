// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dropout of a model file becomes ops with its rates, unless training drops nothing.
#include "dialects/Graph/IR/GraphDialect.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// The rates of the dropouts of a function or step in program order. Those of attention are negative.
using Rates = std::vector<double>;

std::map<std::string, Rates> ratesOf(const std::string &path, Dropout dropout = Dropout::Keep) {
  MLIRContext context;
  TrainingOptions training = trainingOf(1);
  training.dropout = dropout;
  std::map<std::string, Rates> rates;
  auto module = importOrFail(context, path, training);
  if (!module)
    return rates;
  module->walk([&](Operation *op) {
    auto parent = op->getParentOfType<SymbolOpInterface>();
    auto attention = dyn_cast<graph::AttentionOp>(op);
    if (auto dropped = dyn_cast<graph::DropoutOp>(op))
      rates[parent.getName().str()].push_back(dropped.getRate().convertToDouble());
    else if (attention && attention.getDropout())
      rates[parent.getName().str()].push_back(-attention.getDropout()->convertToDouble());
  });
  return rates;
}

ConfigFile Gpt2(const std::string &keys) {
  return ConfigFile(R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_head": 2, "n_positions": 4,
      "vocab_size": 5})",
                    keys);
}

using Sites = std::map<std::string, Rates>;

TEST(Dropout, ofGpt2IsWhereTransformersHasIt) {
  const Sites sites = ratesOf(Gpt2(R"(, "embd_pdrop": 0.1, "attn_pdrop": 0.2, "resid_pdrop": 0.3)").path());
  EXPECT_EQ(sites, (Sites{{"block", {-0.2, 0.3, 0.3}}, {"evaluate", {0.1}}, {"sample", {0.1}}}));
}

TEST(Dropout, thatIsNotGivenIsTheFamilys) {
  EXPECT_EQ(ratesOf(Gpt2("").path()),
            (Sites{{"block", {-0.1, 0.1, 0.1}}, {"evaluate", {0.1}}, {"sample", {0.1}}}));
  ConfigFile bert(R"({"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 8, "intermediate_size": 8,
      "num_attention_heads": 2, "vocab_size": 5, "max_position_embeddings": 4})",
                  "");
  EXPECT_EQ(ratesOf(bert.path()), (Sites{{"layer", {-0.1, 0.1, 0.1}}, {"evaluate", {0.1}}}));
}

TEST(Dropout, ofVitAndLlamaIsNoneUnlessTheConfigSaysSo) {
  const std::string vit = R"({"model_type": "vit", "num_hidden_layers": 1, "hidden_size": 8,
      "intermediate_size": 8, "num_attention_heads": 2, "image_size": 4, "patch_size": 2})";
  EXPECT_EQ(ratesOf(ConfigFile(vit, "").path()), Sites());
  EXPECT_EQ(
      ratesOf(ConfigFile(vit, R"(, "hidden_dropout_prob": 0.2, "attention_probs_dropout_prob": 0.3)").path()),
      (Sites{{"layer", {-0.3, 0.2, 0.2}}, {"evaluate", {0.2}}}));
  const std::string llama = R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8,
      "intermediate_size": 8, "num_attention_heads": 2, "vocab_size": 5, "max_position_embeddings": 4})";
  EXPECT_EQ(ratesOf(ConfigFile(llama, "").path()), Sites());
  EXPECT_EQ(ratesOf(ConfigFile(llama, R"(, "attention_dropout": 0.25)").path()), (Sites{{"layer", {-0.25}}}));
}

TEST(Dropout, isOffWhereTrainingSaysSo) { EXPECT_EQ(ratesOf(Gpt2("").path(), Dropout::Off), Sites()); }

TEST(Dropout, ofEverythingIsRefused) {
  EXPECT_EQ(Gpt2(R"(, "resid_pdrop": 1.0)").refusal(),
            "resid_pdrop: must be a number from 0.0 to 0.9999, is 1.0");
  EXPECT_EQ(Gpt2(R"(, "attn_pdrop": -0.1)").refusal(),
            "attn_pdrop: must be a number from 0.0 to 0.9999, is -0.1");
}

} // namespace
