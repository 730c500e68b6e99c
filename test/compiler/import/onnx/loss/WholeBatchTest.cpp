// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss of a step is that of its whole batch, however many micro-batches the batch is cut into: which
// terms of a loss are means or sums over the batch, which weights are sizes of it, and which terms get a
// warning.
#include "test/compiler/import/onnx/ModelMaker.h"
#include <limits>

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

/// Scores of 4 x 3 from x, labels y, targets t, and three losses: `entropy`, a mean over labels; `entropies`,
/// a sum over labels; `squares`, a sum over elements. `batch`: of the inputs; negative: open.
ModelMaker losses(int64_t batch = -1) {
  ModelMaker maker;
  maker.input("x", {batch, 2});
  maker.input("t", {batch, 3});
  maker.input("y", {batch}, onnx::DataType::Int64);
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.weight("half", {}, {0.5F});
  maker.weight("two", {}, {2});
  maker.weight("four", {}, {4});
  maker.integers("first", {}, {0});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "entropy");
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, "entropies"), "reduction", "sum");
  maker.node("Sub", {"scores", "t"}, "difference");
  maker.node("Sub", {"scores", "t"}, "difference again");
  maker.node("Mul", {"difference", "difference again"}, "square");
  setAttribute(maker.node("ReduceSum", {"square"}, "squares"), "keepdims", 0);
  // The number of examples, as a float.
  maker.node("Shape", {"scores"}, "shape");
  maker.node("Gather", {"shape", "first"}, "examples");
  setAttribute(maker.node("Cast", {"examples"}, "size"), "to", static_cast<int64_t>(onnx::DataType::Float));
  return maker;
}

/// The import with `loss` made by these nodes of one or two operands, the last one of the name "loss".
struct Step {
  const char *op;
  std::vector<std::string> inputs;
  const char *output;
};
Result<OnnxDescription> describedAs(ModelMaker maker, const std::vector<Step> &steps) {
  for (const Step &step : steps)
    maker.node(step.op, step.inputs, step.output);
  maker.output("loss");
  return describeModel(maker);
}

/// What the means of the document are over, in the order of its operations.
std::vector<std::string> meansOf(const json &document) {
  std::vector<std::string> found;
  for (const json &op : document["ops"])
    if (op["op"] == "mean_over")
      found.push_back(op.value("of", "labels"));
  return found;
}

using Means = std::vector<std::string>;

/// A sum that is divided by a size of the batch is divided by that of the micro-batch, of which a step takes
/// the mean. A constant divides the sum over the whole batch.
TEST(WholeBatch, aSumOverASizeOfTheBatchIsAMean) {
  for (const char *sum : {"entropies", "squares"}) {
    Result<OnnxDescription> bySize = describedAs(losses(), {{"Div", {sum, "size"}, "loss"}});
    ASSERT_TRUE(bySize) << bySize.status().message();
    EXPECT_EQ(meansOf(bySize->document), Means{"micro_batches"}) << sum;
    EXPECT_TRUE(bySize->warnings.empty()) << bySize->warnings.front();
    Result<OnnxDescription> byTwo = describedAs(losses(), {{"Div", {sum, "two"}, "loss"}});
    ASSERT_TRUE(byTwo) << byTwo.status().message();
    EXPECT_EQ(meansOf(byTwo->document), Means{"batches"}) << sum;
    EXPECT_TRUE(byTwo->warnings.empty());
  }
}

/// A weight of 1 may be a size of the batch, too: over four columns a sum of squares is four means of rows,
/// and a micro-batch has four examples.
TEST(WholeBatch, aWeightOfOneMayHideASizeOfTheBatch) {
  for (int64_t columns : {3, 4}) {
    ModelMaker maker = losses();
    maker.input("wide", {-1, columns});
    maker.weight("wide.weight", {2, columns}, std::vector<float>(static_cast<size_t>(2 * columns), 1));
    maker.node("MatMul", {"x", "wide.weight"}, "wide scores");
    maker.node("Sub", {"wide scores", "wide"}, "wide difference");
    maker.node("Pow", {"wide difference", "two"}, "wide square");
    setAttribute(maker.node("ReduceSum", {"wide square"}, "wide squares"), "keepdims", 0);
    Result<OnnxDescription> bySize = describedAs(maker, {{"Div", {"wide squares", "size"}, "loss"}});
    ASSERT_TRUE(bySize) << bySize.status().message();
    EXPECT_EQ(meansOf(bySize->document), Means{"micro_batches"}) << columns;
    Result<OnnxDescription> whole = describedAs(maker, {{"Mul", {"wide squares", "two"}, "loss"}});
    ASSERT_TRUE(whole) << whole.status().message();
    EXPECT_EQ(meansOf(whole->document), Means{"batches"}) << columns;
  }
  Result<OnnxDescription> timesFour =
      describedAs(losses(), {{"Div", {"entropies", "size"}, "mean"}, {"Mul", {"mean", "four"}, "loss"}});
  ASSERT_TRUE(timesFour) << timesFour.status().message();
  EXPECT_EQ(meansOf(timesFour->document), Means{"micro_batches"});
}

/// One example is a factor of 1, which is dropped.
TEST(WholeBatch, aMeanTimesOneExampleIsRefused) {
  ModelMaker maker = losses();
  maker.node("Mul", {"entropy", "size"}, "loss");
  maker.output("loss");
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 1;
  Result<OnnxDescription> refused = describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.status().message().find("a term is multiplied by 1.000000 for 1 example, and by 2.000000"),
      std::string::npos)
      << refused.status().message();
}

TEST(WholeBatch, aMeanTimesASizeOfTheBatchIsRefused) {
  Result<OnnxDescription> refused = describedAs(losses(), {{"Mul", {"entropy", "size"}, "loss"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.status().message().find(
                "the loss: a term is multiplied by 4.000000 for 4 examples, and by 5.000000 for 5"),
            std::string::npos)
      << refused.status().message();
}

/// A file of a fixed batch does not tell a size of it from a constant.
TEST(WholeBatch, aWeightThatMayBeTheFixedBatchGetsAWarning) {
  Result<OnnxDescription> fixed = describedAs(losses(4), {{"Div", {"entropies", "size"}, "loss"}});
  ASSERT_TRUE(fixed) << fixed.status().message();
  EXPECT_EQ(meansOf(fixed->document), Means{"batches"});
  ASSERT_EQ(fixed->warnings.size(), 1u);
  EXPECT_NE(
      fixed->warnings[0].find("the file fixes 4 examples, so that the weight 0.250000 counts as a constant"),
      std::string::npos)
      << fixed->warnings[0];
  Result<OnnxDescription> squares = describedAs(losses(4), {{"Div", {"squares", "size"}, "loss"}});
  ASSERT_TRUE(squares) << squares.status().message();
  EXPECT_EQ(squares->warnings.size(), 1u);
  Result<OnnxDescription> half = describedAs(losses(4), {{"Div", {"entropies", "two"}, "loss"}});
  ASSERT_TRUE(half) << half.status().message();
  EXPECT_TRUE(half->warnings.empty());
}

/// Each term of sums, differences and multiples is a mean by itself; the sums of squares, whose difference
/// the file has twice, are over the batch.
TEST(WholeBatch, termsAreFoundInDifferencesAndMultiples) {
  const std::vector<std::pair<std::vector<Step>, Means>> cases = {
      {{{"Sub", {"entropy", "squares"}, "loss"}}, {"batches"}},
      {{{"Neg", {"squares"}, "less"}, {"Sub", {"entropy", "less"}, "loss"}}, {"batches"}},
      {{{"Add", {"squares", "entropies"}, "both"}, {"Div", {"both", "two"}, "loss"}}, {"batches", "batches"}},
      {{{"Add", {"entropy", "half"}, "more"}, {"Mul", {"two", "more"}, "loss"}}, {"micro_batches"}},
  };
  for (const auto &[steps, means] : cases) {
    Result<OnnxDescription> found = describedAs(losses(), steps);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(meansOf(found->document), means) << found->document["ops"].dump(2);
    EXPECT_TRUE(found->warnings.empty()) << found->warnings.front();
  }
}

/// Sums of sums are sums over the batch, too.
TEST(WholeBatch, sumsOfSumsOfSquares) {
  ModelMaker maker = losses();
  setAttribute(maker.node("ReduceSum", {"square"}, "inner"), "keepdims", 1);
  setAttribute(maker.node("ReduceSum", {"inner"}, "outer"), "keepdims", 0);
  Result<OnnxDescription> found = describedAs(maker, {{"Mul", {"outer", "half"}, "loss"}});
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(meansOf(found->document), Means{"batches"});
}

/// What no rule knows is a mean of what micro-batches compute. A mean of elements is the same for the whole
/// batch; for others a warning says that they may not be.
TEST(WholeBatch, whatMayDifferFromTheBatchGetsAWarning) {
  ModelMaker maker = losses();
  maker.node("Abs", {"difference"}, "distance");
  setAttribute(maker.node("ReduceMean", {"distance"}, "mean distance"), "keepdims", 0);
  setAttribute(maker.node("ReduceSum", {"distance"}, "distances"), "keepdims", 0);
  const auto warningsOf = [&](const std::vector<Step> &steps) {
    Result<OnnxDescription> found = describedAs(maker, steps);
    EXPECT_TRUE(found) << found.status().message();
    return found ? found->warnings : std::vector<std::string>();
  };
  EXPECT_TRUE(warningsOf({{"Mul", {"mean distance", "half"}, "loss"}}).empty());
  EXPECT_TRUE(warningsOf({{"Div", {"distances", "size"}, "loss"}}).empty());
  for (const std::vector<Step> &steps :
       {std::vector<Step>{{"Mul", {"distances", "half"}, "loss"}},
        {{"Sqrt", {"mean distance"}, "root"}, {"Add", {"root", "entropy"}, "loss"}}}) {
    const std::vector<std::string> warnings = warningsOf(steps);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(
        warnings[0].find("\" is the mean of what each micro-batch computes, which may be another number"),
        std::string::npos)
        << warnings[0];
  }
}

/// The warning names a value of the file, though it stands for what was made of it: cross-entropies whose
/// labels are no input, in three forms.
TEST(WholeBatch, warningsNameValuesOfTheFile) {
  ModelMaker maker = losses();
  maker.integers("low", {}, {0});
  maker.integers("high", {}, {2});
  maker.integers("axes", {1}, {1});
  maker.node("Clip", {"y", "low", "high"}, "clipped");
  setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", "clipped"}, "start"), "ignore_index", 2);
  setAttribute(maker.node("LogSoftmax", {"scores"}, "logs"), "axis", 1);
  maker.node("NegativeLogLikelihoodLoss", {"logs", "clipped"}, "end");
  maker.node("Unsqueeze", {"clipped", "axes"}, "column");
  setAttribute(maker.node("GatherElements", {"logs", "column"}, "picked"), "axis", 1);
  maker.node("ReduceMean", {"picked"}, "mean");
  Result<OnnxDescription> found = describedAs(maker, {{"Neg", {"mean"}, "kind"},
                                                      {"Add", {"start", "end"}, "both"},
                                                      {"Add", {"both", "kind"}, "all"},
                                                      {"Div", {"all", "two"}, "loss"}});
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_EQ(found->warnings.size(), 3u);
  for (size_t i = 0; const char *name : {"start", "end", "kind"}) {
    const std::string &warning = found->warnings[i++];
    EXPECT_NE(warning.find("the loss: \"" + std::string(name) + "\" is the mean of what each micro-batch"),
              std::string::npos)
        << warning;
  }
}

/// `count` cross-entropies, each with labels "y0", "y1", ... of its own, of which it ignores one class. They
/// are added one after the other, as `loss = loss + ...` does.
ModelMaker chainOf(int count) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  std::string sum;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i), labels = "y" + number, entropy = "entropy " + number;
    maker.input(labels, {-1}, onnx::DataType::Int64);
    setAttribute(maker.node("SoftmaxCrossEntropyLoss", {"scores", labels}, entropy), "ignore_index", i % 3);
    const std::string next = i == 0 ? entropy : i + 1 < count ? "sum " + number : "loss";
    if (i > 0)
      maker.node("Add", {sum, entropy}, next);
    sum = next;
  }
  maker.output("loss");
  return maker;
}

/// Every term is a mean over its own labels, in the order of the file, however many there are. The loss is
/// divided by the number of labels of the first.
TEST(WholeBatch, everyTermOfALongSumIsCountedByItself) {
  for (int count : {3, 16, 18, 200}) {
    Result<OnnxDescription> found = describeModel(chainOf(count));
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_TRUE(found->warnings.empty()) << found->warnings.front();
    EXPECT_EQ(found->document["inputs"]["y0"]["role"], "classes");
    EXPECT_EQ(found->document["inputs"]["y0"]["ignored"], 0);
    int term = 0;
    for (const json &op : found->document["ops"]) {
      if (op["op"] != "mean_over")
        continue;
      ++term;
      EXPECT_EQ(op["in"].back(), "y" + std::to_string(term)) << op;
      EXPECT_EQ(op["ignored"], term % 3) << op;
    }
    EXPECT_EQ(term, count - 1);
  }
}

/// 40 sums of a value and itself are 2^40 terms. Those that are not taken apart are means over micro-batches,
/// with a warning.
TEST(WholeBatch, sumsOfTooManyTermsAreNotTakenApart) {
  ModelMaker maker = chainOf(2);
  std::string sum = "loss";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "twice " + std::to_string(i);
    maker.node("Add", {sum, sum}, next);
    sum = next;
  }
  maker.graph().mutable_output(0)->set_name(sum);
  Result<OnnxDescription> found = describeModel(maker);
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_FALSE(found->warnings.empty());
  EXPECT_LE(found->warnings.size(), 40u);
  EXPECT_NE(found->warnings.back().find("the loss: \"twice 38\" is the mean of what each micro-batch"),
            std::string::npos)
      << found->warnings.back();
}

TEST(WholeBatch, aTermTimesWhatIsNotFiniteIsRefused) {
  ModelMaker maker = losses();
  maker.weight("endless", {}, {std::numeric_limits<float>::infinity()});
  Result<OnnxDescription> refused = describedAs(maker, {{"Mul", {"entropy", "endless"}, "loss"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.status().message().find("the loss: a term must be multiplied by a finite number, is by inf"),
      std::string::npos)
      << refused.status().message();
}

} // namespace
