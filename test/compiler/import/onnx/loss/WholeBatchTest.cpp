// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss of a step is that of its whole batch, however many micro-batches the batch is cut into: which
// terms of a loss are means or sums over the batch, which weights are sizes of it, and which terms get a
// warning.
#include "test/compiler/import/onnx/ModelMaker.h"

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

} // namespace
