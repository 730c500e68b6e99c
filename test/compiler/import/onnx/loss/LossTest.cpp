// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses in the file, in every form, and losses that a user names.
#include "compiler/import/onnx/loss/LossSpec.h"
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

Result<OnnxDescription> describeWith(const ModelMaker &maker, const std::vector<std::string> &losses) {
  OnnxOptions options;
  options.losses = losses;
  return describeModel(maker, options);
}

json documentOf(const ModelMaker &maker, const std::vector<std::string> &losses = {}) {
  Result<OnnxDescription> description = describeWith(maker, losses);
  EXPECT_TRUE(description) << description.status().message();
  return description ? description->document : json::object();
}

std::string errorOf(const ModelMaker &maker, const std::vector<std::string> &losses) {
  Result<OnnxDescription> description = describeWith(maker, losses);
  EXPECT_FALSE(description);
  const std::string message = description ? "" : description.status().message();
  return message.substr(message.find(": ") + 2);
}

/// x w gives scores of 4 x 3, without a loss.
ModelMaker scoresModel() {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  return maker;
}

ModelMaker classifier() {
  ModelMaker maker = scoresModel();
  maker.input("y", {-1}, onnx::DataType::Int64);
  return maker;
}

json opsOf(const json &document, const std::string &op) {
  json found = json::array();
  for (const json &one : document["ops"])
    if (one["op"] == op)
      found.push_back(one);
  return found;
}

/// The loss is the rows. The trainer takes their mean over the labels of the whole batch.
void expectRows(const json &document) {
  ASSERT_EQ(opsOf(document, "cross_entropy").size(), 1u) << document["ops"].dump(2);
  EXPECT_EQ(document["ops"].back()["op"], "cross_entropy");
  EXPECT_EQ(document["inputs"]["y"], json({{"role", "classes"}, {"bound", 3}, {"shape", {"B"}}}));
}

TEST(OnnxLoss, logLikelihoodOfALogSoftmax) {
  ModelMaker maker = classifier();
  setAttribute(maker.node("LogSoftmax", {"scores"}, "logs"), "axis", 1);
  maker.node("NegativeLogLikelihoodLoss", {"logs", "y"}, "loss");
  maker.output("loss");
  expectRows(documentOf(maker));
}

TEST(OnnxLoss, elementsOfALogSoftmax) {
  for (bool negatedFirst : {true, false}) {
    ModelMaker maker = classifier();
    maker.integers("axes", {1}, {1});
    setAttribute(maker.node("LogSoftmax", {"scores"}, "logs"), "axis", -1);
    maker.node("Unsqueeze", {"y", "axes"}, "column");
    setAttribute(maker.node("GatherElements", {"logs", "column"}, "picked"), "axis", 1);
    maker.node(negatedFirst ? "Neg" : "ReduceMean", {"picked"}, "between");
    maker.node(negatedFirst ? "ReduceMean" : "Neg", {"between"}, "loss");
    maker.output("loss");
    expectRows(documentOf(maker));
  }
}

/// A module in f16 or bf16 has a loss of this type. Its terms are computed as all others are.
TEST(OnnxLoss, meansOfHalvesAreMeans) {
  for (onnx::DataType type : {onnx::DataType::Float16, onnx::DataType::BFloat16}) {
    ModelMaker maker;
    maker.input("x", {-1, 2}, type);
    onnx::wire::Tensor &weight = maker.weight("scale.weight", {2}, {});
    weight.set_data_type(static_cast<int>(type));
    weight.set_raw_data(std::string("\x00\x3c\x00\x40", 4));
    maker.node("Mul", {"x", "scale.weight"}, "scaled");
    setAttribute(maker.node("ReduceMean", {"scaled"}, "loss"), "keepdims", 0);
    maker.output("loss");
    EXPECT_EQ(opsOf(documentOf(maker), "mean_over").size(), 1u);
  }
}

/// The trainer counts the labels other than the ignored one, whatever its value.
TEST(OnnxLoss, aNumberOrAClassThatIsIgnoredIsNoLabelToCount) {
  for (int64_t ignored : {-1, 2}) {
    ModelMaker maker = classifier();
    setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "loss"), "ignore_index", ignored);
    maker.output("loss");
    const json document = documentOf(maker);
    EXPECT_EQ(document["ops"].back()["op"], "cross_entropy");
    EXPECT_EQ(document["ops"].back()["ignore_index"], ignored);
    EXPECT_EQ(document["inputs"]["y"],
              json({{"role", "classes"}, {"bound", 3}, {"shape", {"B"}}, {"ignored", ignored}}));
  }
}

/// Scores of sequences of 5, and labels for them. `labels`: the value that the loss reads.
ModelMaker sequences(const std::string &labels, int64_t rows, bool areTokens = false) {
  ModelMaker maker;
  maker.input("y", {-1, 5}, onnx::DataType::Int64);
  if (areTokens) {
    maker.weight("table.weight", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    maker.node("Gather", {"table.weight", "y"}, "x");
  } else {
    maker.input("x", {-1, 5, 2});
  }
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const auto &[name, value] : {std::pair("one", 1), {"last", 4}, {"end", INT32_MAX}, {"zero", 0}})
    maker.integers(name, {1}, {value});
  maker.integers("pads", {4}, {0, 0, 0, 1});
  maker.integers("ignored", {}, {-100});
  maker.integers("matrix", {2}, {-1, 3});
  maker.integers("column", {1}, {-1});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  maker.node("Slice", {"scores", "zero", rows == 5 ? "end" : "last", "one"}, "scored");
  maker.node("Pad", {"y", "pads", "ignored"}, "padded");
  maker.node("Slice", {"padded", "one", "end", "one"}, "shifted and padded");
  maker.node("Slice", {"y", "one", "end", "one"}, "shifted");
  maker.node("Slice", {"y", "zero", "last", "one"}, "all but the last");
  maker.node("Reshape", {"scored", "matrix"}, "flat");
  maker.node("Reshape", {labels, "column"}, "labels");
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"flat", "labels"}, "loss"), "ignore_index", -100);
  maker.output("loss");
  return maker;
}

/// Labels that the graph shifts, as transformers does, are counted without the first of each sequence.
TEST(OnnxLoss, labelsMayBeShiftedInTheGraph) {
  for (const auto &[labels, rows] : {std::pair("shifted and padded", 5), {"shifted", 4}}) {
    const json document = documentOf(sequences(labels, rows));
    EXPECT_EQ(document["inputs"]["y"],
              json({{"role", "classes"}, {"bound", 3}, {"shape", {"B", 5}}, {"first", 1}}));
    EXPECT_EQ(document["ops"].back()["op"], "cross_entropy") << labels;
  }
}

/// If the last labels are left out, a run does not know how many labels count: the loss is a mean for each
/// micro-batch.
TEST(OnnxLoss, labelsThatLackTheLastAreNotCounted) {
  Result<OnnxDescription> description = describeModel(sequences("all but the last", 4));
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_NE(description->report.find("output \"loss\", a mean of what each micro-batch computes"),
            std::string::npos)
      << description->report;
  const json &document = description->document;
  EXPECT_EQ(document["inputs"]["y"], json({{"role", "other_labels"}, {"bound", 3}, {"shape", {"B", 5}}}));
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["of"], "micro_batches");
}

/// Tokens that are also the labels: the loss is a mean over all except the first of each sequence.
TEST(OnnxLoss, tokensMayBeTheLabels) {
  const json document = documentOf(sequences("shifted", 4, /*areTokens=*/true));
  EXPECT_EQ(document["inputs"], json({{"y", {{"role", "tokens"}, {"bound", 3}, {"shape", {"B", 5}}}}}));
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["in"][1], "y");
  EXPECT_EQ(opsOf(document, "mean_over")[0]["first"], 1);
}

/// Labels of a second loss are not counted, and may be ignored like those of the first.
TEST(OnnxLoss, labelsOfASecondLossMayBeIgnored) {
  ModelMaker maker = classifier();
  maker.input("z", {-1}, onnx::DataType::Int64);
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "first"), "ignore_index", -100);
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "z"}, "second"), "ignore_index", 1);
  maker.node("Add", {"first", "second"}, "loss");
  maker.output("loss");
  const json document = documentOf(maker), inputs = document["inputs"];
  EXPECT_EQ(inputs["y"]["role"], "classes");
  EXPECT_FALSE(inputs["y"].contains("ignored"));
  EXPECT_EQ(inputs["z"]["role"], "other_labels");
  EXPECT_EQ(inputs["z"]["ignored"], 1);
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["in"][1], "z");
  EXPECT_EQ(opsOf(document, "mean_over")[0]["ignored"], 1);
}

/// Two losses of one input may ignore different labels. Each is a mean over its own labels.
TEST(OnnxLoss, twoLossesOfOneInputMayIgnoreTwoLabels) {
  ModelMaker maker = classifier();
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "first"), "ignore_index", 0);
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "second"), "ignore_index", 1);
  maker.node("Add", {"first", "second"}, "loss");
  maker.output("loss");
  const json document = documentOf(maker);
  EXPECT_EQ(document["inputs"]["y"]["ignored"], 0);
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["ignored"], 1);
}

/// A mean over weighted labels is divided by the sum of their weights, in either form.
TEST(OnnxLoss, classesMayHaveWeights) {
  for (bool isLikelihood : {false, true}) {
    ModelMaker maker = classifier();
    maker.weight("weights", {3}, {1, 0.5F, 2});
    if (isLikelihood)
      setAttribute(maker.node("LogSoftmax", {"scores"}, "logs"), "axis", 1);
    maker.node(isLikelihood ? "NegativeLogLikelihoodLoss" : "SoftmaxCrossEntropyLoss",
               {isLikelihood ? "logs" : "scores", "y", "weights"}, "loss");
    maker.output("loss");
    const json document = documentOf(maker);
    EXPECT_EQ(opsOf(document, "cross_entropy").size(), 1u);
    ASSERT_EQ(opsOf(document, "mean_over").size(), 1u) << document["ops"].dump(2);
    EXPECT_EQ(opsOf(document, "mean_over")[0]["class_weights"], json({1, 0.5, 2}));
    EXPECT_EQ(document["inputs"]["y"]["role"], "classes");
  }
}

/// loss = cross-entropy + 0.5 mean((x - t)^2). The first term is a mean over labels, the second over
/// examples.
TEST(OnnxLoss, weightedSumsInTheGraph) {
  ModelMaker maker = classifier();
  maker.input("t", {-1, 2});
  maker.weight("half", {}, {0.5F});
  maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "entropy");
  maker.node("Sub", {"x", "t"}, "difference");
  maker.node("Mul", {"difference", "difference"}, "square");
  setAttribute(maker.node("ReduceMean", {"square"}, "mean"), "keepdims", 0);
  maker.node("Mul", {"mean", "half"}, "weighted");
  maker.node("Add", {"entropy", "weighted"}, "loss");
  maker.output("loss");
  const json document = documentOf(maker);
  EXPECT_EQ(document["inputs"]["y"]["role"], "classes");
  EXPECT_EQ(document["inputs"]["t"]["role"], "targets");
  EXPECT_EQ(opsOf(document, "mse").size(), 1u);
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["of"], "examples");
  EXPECT_EQ(document["ops"].back()["op"], "add");
}

/// loss = a sum of squares + a sum over labels. Both are over the whole batch, and so the loss is a mean over
/// batches.
TEST(OnnxLoss, sumsAreOverTheWholeBatch) {
  ModelMaker maker = classifier();
  maker.input("t", {-1, 2});
  maker.node("Sub", {"x", "t"}, "difference");
  maker.node("Mul", {"difference", "difference"}, "square");
  setAttribute(maker.node("ReduceSum", {"square"}, "squares"), "keepdims", 0);
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "entropy"), "reduction", "sum");
  maker.node("Add", {"squares", "entropy"}, "loss");
  maker.output("loss");
  const json document = documentOf(maker);
  EXPECT_EQ(opsOf(document, "mse").size(), 1u);
  EXPECT_EQ(opsOf(document, "cross_entropy").size(), 1u);
  ASSERT_EQ(opsOf(document, "mean_over").size(), 2u);
  for (const json &op : opsOf(document, "mean_over"))
    EXPECT_EQ(op["of"], "batches");
  EXPECT_EQ(document["inputs"]["y"]["role"], "other_labels");
}

TEST(OnnxLoss, severalThatTheUserNames) {
  ModelMaker maker = scoresModel();
  maker.node("Tanh", {"scores"}, "other");
  maker.output("scores");
  maker.output("other");
  Result<OnnxDescription> description =
      describeWith(maker, {"cross-entropy,logits=scores,labels=y,smoothing=0.1",
                           "0.5*mse,logits=other,labels=t,reduction=sum"});
  ASSERT_TRUE(description) << description.status().message();
  const json &document = description->document;
  EXPECT_EQ(opsOf(document, "cross_entropy")[0]["smoothing"], 0.1);
  EXPECT_EQ(document["inputs"]["y"]["role"], "classes");
  EXPECT_EQ(document["inputs"]["t"]["role"], "targets");
  ASSERT_EQ(opsOf(document, "mean_over").size(), 1u);
  EXPECT_EQ(opsOf(document, "mean_over")[0]["of"], "batches");
  EXPECT_NE(
      description->report.find("cross-entropy smoothed by 0.1 of \"scores\" + 0.5 * sum of mse of \"other\""),
      std::string::npos)
      << description->report;
  EXPECT_EQ(errorOf(maker, {"most"}),
            "--loss: a loss must be cross-entropy, mse or bce-with-logits, is \"most\"");
  EXPECT_EQ(errorOf(maker, {"mse,logits=nowhere"}),
            "--logits: must name one of the outputs \"scores\" (float 4x3), \"other\" (float 4x3), is "
            "\"nowhere\"");
}

TEST(OnnxLoss, whatIsNoLoss) {
  for (auto [text, error] :
       {std::pair("entropy", "a loss must be cross-entropy, mse or bce-with-logits, is \"entropy\""),
        std::pair("0*mse", "a weight must be a number above 0, at most 1e6, is \"0\""),
        std::pair("mse,smoothing=0.1", "the loss with smoothing must be cross-entropy, is \"mse\""),
        std::pair("cross-entropy,smoothing=1", "smoothing must be from 0 to below 1, is \"1\""),
        std::pair("cross-entropy,ignore_index=x", "ignore_index must be a whole number of 32 bits, is \"x\""),
        std::pair("mse,reduction=none", "reduction must be mean or sum, is \"none\""),
        std::pair("mse,logits=", "logits must be a name, is \"\""),
        std::pair("mse,", "a key must be logits, labels, ignore_index, smoothing or reduction, is \"\"")}) {
    Result<LossSpec> loss = parseLoss(text);
    ASSERT_FALSE(loss) << text;
    EXPECT_EQ(loss.status().message(), error);
  }
}

/// The trainer divides by examples, so that each example has a loss, whatever the dimensions of the mean.
TEST(OnnxLoss, squaresAreOfExamplesInEveryShape) {
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{4, 3}, {-1}, {6, 2}, {2, 3, 2}}) {
    ModelMaker maker = scoresModel();
    maker.input("t", {-1, 3});
    maker.integers("shape", {std::ssize(shape)}, shape);
    maker.node("Reshape", {"scores", "shape"}, "prediction");
    maker.node("Reshape", {"t", "shape"}, "target");
    maker.node("Sub", {"prediction", "target"}, "difference");
    maker.node("Mul", {"difference", "difference"}, "square");
    setAttribute(maker.node("ReduceMean", {"square"}, "loss"), "keepdims", 0);
    maker.output("loss");
    const json document = documentOf(maker);
    ASSERT_EQ(document["ops"].size(), 2u) << document["ops"].dump(2);
    EXPECT_EQ(document["ops"].back()["op"], "mse");
    EXPECT_EQ(document["ops"].back()["in"], json({"scores", "t"}));
  }
}

/// The same rule for a loss that the user names. Its labels are an input, whose first dimension is the
/// examples.
TEST(OnnxLoss, labelsBeginWithTheExamples) {
  ModelMaker maker = scoresModel();
  maker.integers("shape", {2}, {6, 2});
  maker.node("Reshape", {"scores", "shape"}, "rows");
  maker.output("rows");
  const json document = documentOf(maker, {"mse,labels=t"});
  EXPECT_EQ(document["inputs"]["t"]["shape"], json({"B", 3}));
  EXPECT_EQ(document["ops"].back()["op"], "mse");
  EXPECT_EQ(document["ops"].back()["in"], json({"scores", "t"}));
  EXPECT_EQ(errorOf(maker, {"cross-entropy,labels=t"}),
            "--labels t: must be an input of the file, since 6 labels cannot be shared out to 4 examples");
}

TEST(OnnxLoss, ofNothingIsNone) {
  ModelMaker maker = scoresModel();
  maker.integers("none", {1}, {0});
  maker.node("Slice", {"scores", "none", "none"}, "nothing");
  maker.output("nothing");
  for (const char *loss : {"mse", "mse,reduction=sum", "bce-with-logits", "cross-entropy"})
    EXPECT_EQ(errorOf(maker, {loss}), "--logits: must have elements, is 0x3");
}

/// A forward model, with a loss that the user names.
TEST(OnnxLoss, lossesFromTheCommandLine) {
  ModelMaker maker = linearModel();
  maker.graph().mutable_output(0)->set_name("prediction");
  maker.graph().mutable_input()->RemoveLast(); // removes y
  maker.graph().mutable_node()->DeleteSubrange(1, 3);
  Result<OnnxDescription> none = describeModel(maker);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.status().message().ends_with(
      "no output is the loss: one must be a single number, or be called \"loss\"; or name one with --loss "
      "cross-entropy --logits NAME --labels NAME; outputs are \"prediction\" (float 4x3)"))
      << none.status().message();
  for (auto [loss, op, role] :
       {std::tuple("cross-entropy", "cross_entropy", "classes"), std::tuple("mse", "mse", "targets"),
        std::tuple("bce-with-logits", "bce_with_logits", "targets")}) {
    OnnxOptions options;
    options.losses = {loss};
    options.labels = "y";
    Result<OnnxDescription> description = describeModel(maker, options);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["ops"].back()["op"], op);
    EXPECT_EQ(description->document["inputs"]["y"]["role"], role);
  }
  OnnxOptions wrong;
  wrong.losses = {"mse"};
  wrong.logits = "nowhere";
  Result<OnnxDescription> description = describeModel(maker, wrong);
  ASSERT_FALSE(description);
  EXPECT_TRUE(description.status().message().ends_with(
      "--logits: must name one of the outputs \"prediction\" (float 4x3), is \"nowhere\""));
}

} // namespace
