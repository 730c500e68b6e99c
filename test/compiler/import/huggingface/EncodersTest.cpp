// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heads of BERT and their inputs. PyTorchTest tests their results.
#include "compiler/import/huggingface/Encoders.h"
#include "test/compiler/import/ImportTesting.h"

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr const char *kSmall = R"({"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 8,
    "intermediate_size": 8, "num_attention_heads": 2, "max_position_embeddings": 4, "vocab_size": 5})";

nlohmann::json inputsOf(const std::string &keys) {
  auto config = nlohmann::json::parse(kSmall);
  config.update(nlohmann::json::parse("{" + keys + "}"));
  Status failure;
  JsonReader reader(config, "config.json", failure);
  const nlohmann::json document = describeBert(reader, trainingOf(1));
  EXPECT_TRUE(failure) << failure.message();
  EXPECT_TRUE(reader.unknown().size() <= 2) << reader.unknown().size(); // model_type and architectures
  return document["inputs"];
}

nlohmann::json labelsOf(const std::string &keys) {
  return inputsOf(R"("architectures": ["BertForSequenceClassification"])" + keys)["labels"];
}

TEST(Encoders, problemsOfSequencesHaveTheirLabels) {
  const nlohmann::json classes = {{"role", "classes"}, {"shape", {"B"}}, {"bound", "K"}},
                       number = {{"role", "targets"}, {"shape", {"B"}}},
                       each = {{"role", "targets"}, {"shape", {"B", "K"}}};
  EXPECT_EQ(labelsOf(""), classes);
  EXPECT_EQ(labelsOf(R"(, "problem_type": null, "num_labels": 3)"), classes);
  EXPECT_EQ(labelsOf(R"(, "num_labels": 1)"), number);
  EXPECT_EQ(labelsOf(R"(, "id2label": {"0": "score"})"), number);
  EXPECT_EQ(labelsOf(R"(, "problem_type": "regression")"), each);
  EXPECT_EQ(labelsOf(R"(, "problem_type": "multi_label_classification")"), each);
}

/// "problem_type" also chooses the loss of an image classifier.
TEST(Encoders, problemsOfImagesHaveTheirLabelsAndLosses) {
  auto documentOf = [](const nlohmann::json &keys) {
    nlohmann::json config = {
        {"image_size", 8}, {"patch_size", 4}, {"hidden_size", 8}, {"num_attention_heads", 2}};
    config.update(keys);
    Status failure;
    JsonReader reader(config, "config.json", failure);
    const nlohmann::json document = describeVit(reader, trainingOf(1));
    EXPECT_TRUE(failure) << failure.message();
    EXPECT_TRUE(reader.unknown().empty());
    return document;
  };
  auto lossOf = [&](const nlohmann::json &keys) {
    return documentOf(keys)["ops"].back()["op"].get<std::string>();
  };
  EXPECT_EQ(lossOf({{"num_labels", 3}}), "cross_entropy");
  EXPECT_EQ(lossOf({{"num_labels", 1}}), "mse");
  EXPECT_EQ(lossOf({{"problem_type", "regression"}}), "mse");
  EXPECT_EQ(lossOf({{"problem_type", "multi_label_classification"}}), "bce_with_logits");
  EXPECT_EQ(documentOf({{"num_labels", 1}})["inputs"]["labels"]["role"], "targets");
}

/// An untied decoder has its own bias. transformers saves the other bias, too, and does not read it.
TEST(Encoders, anUntiedDecoderHasItsOwnBias) {
  for (bool isTied : {true, false}) {
    auto config = nlohmann::json::parse(kSmall);
    config["tie_word_embeddings"] = isTied;
    Status failure;
    JsonReader reader(config, "config.json", failure);
    const nlohmann::json params = describeBert(reader, trainingOf(1))["params"];
    EXPECT_EQ(params.contains("cls.predictions.decoder.bias"), !isTied);
    EXPECT_EQ(params["cls.predictions.bias"].contains("group"), !isTied);
  }
}

/// A loss is a mean over examples if no input's elements are counted.
TEST(Encoders, numbersAreCountedByExamples) {
  const nlohmann::json inputs =
      inputsOf(R"("architectures": ["BertForSequenceClassification"], "problem_type": "regression")");
  for (const auto &[name, input] : inputs.items())
    EXPECT_NE(input["role"], "classes") << name;
}

TEST(Encoders, headsThatAreNotBuiltAreRefused) {
  EXPECT_EQ(ConfigFile(kSmall, R"(, "architectures": ["BertForQuestionAnswering"])").refusal(),
            "architectures[0]: must be \"BertForMaskedLM\", \"BertForSequenceClassification\" or "
            "\"BertForTokenClassification\", is \"BertForQuestionAnswering\"");
  EXPECT_EQ(ConfigFile(kSmall, R"(, "architectures": ["BertForSequenceClassification"],
                                   "problem_type": "ranking")")
                .refusal(),
            "problem_type: must be \"single_label_classification\", \"regression\" or "
            "\"multi_label_classification\", is \"ranking\"");
  EXPECT_EQ(ConfigFile(kSmall, R"(, "architectures": ["BertForSequenceClassification"], "num_labels": 1,
                                   "problem_type": "single_label_classification")")
                .refusal(),
            "problem_type: needs two classes or more, is \"single_label_classification\"");
  EXPECT_EQ(ConfigFile(kSmall, R"(, "architectures": ["BertForTokenClassification"], "num_labels": 5,
                                   "id2label": {"0": "a", "1": "b"})")
                .refusal(),
            "num_labels: must be the number of labels in \"id2label\" = 2, is 5");
  EXPECT_EQ(ConfigFile(R"({"model_type": "vit", "head_dim": 32})", "").refusal(),
            "head_dim: must be hidden_size / num_attention_heads = 64, is 32");
}

} // namespace
