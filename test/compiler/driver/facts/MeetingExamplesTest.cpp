// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The warning of examples that meet before the loss, where a micro-batch is not the batch of a step, and
// whether the loss leaves the size of a micro-batch free.
#include "compiler/driver/inputs/MeetingExamples.h"

#include "compiler/driver/inputs/Inputs.h"
#include "mlir/IR/MLIRContext.h"
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

/// Scores of `batch` x 3 from x. `batch`: negative: open.
ModelMaker scores(int64_t batch = -1) {
  ModelMaker maker;
  maker.input("x", {batch, 2});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  return maker;
}

void setAxis(onnx::wire::Node &node, int64_t axis) { setAttribute(node, "axes", std::vector<int64_t>{axis}); }

/// x - x.mean(0), squared.
ModelMaker centred(int64_t batch = -1) {
  ModelMaker maker = scores(batch);
  setAxis(maker.node("ReduceMean", {"scores"}, "centre"), 0);
  maker.node("Sub", {"scores", "centre"}, "centred");
  maker.node("Mul", {"centred", "centred"}, "square");
  maker.loss("ReduceMean", "square");
  return maker;
}

ModelMaker softmax(int64_t axis) {
  ModelMaker maker = scores();
  setAttribute(maker.node("Softmax", {"scores"}, "shares"), "axis", axis);
  maker.node("Mul", {"shares", "scores"}, "weighed");
  maker.loss("ReduceMean", "weighed");
  return maker;
}

/// x.roll(1, axis), times x.
ModelMaker rolled(int64_t axis) {
  ModelMaker maker = scores();
  maker.integers("first", {1}, {0});
  maker.integers("last", {1}, {-1});
  maker.integers("end", {1}, {9223372036854775807});
  maker.integers("axis", {1}, {axis});
  maker.node("Slice", {"scores", "last", "end", "axis"}, "tail");
  maker.node("Slice", {"scores", "first", "last", "axis"}, "head");
  setAttribute(maker.node("Concat", {"tail", "head"}, "rolled"), "axis", axis);
  maker.node("Mul", {"rolled", "scores"}, "neighbours");
  maker.loss("ReduceMean", "neighbours");
  return maker;
}

/// The squares of products of all pairs of examples; or, with columns, of a covariance.
ModelMaker products(bool ofColumns) {
  ModelMaker maker = scores();
  setAttribute(maker.node("Transpose", {"scores"}, "turned"), "perm", std::vector<int64_t>{1, 0});
  maker.node("MatMul",
             ofColumns ? std::vector<std::string>{"turned", "scores"}
                       : std::vector<std::string>{"scores", "turned"},
             "products");
  maker.node("Mul", {"products", "products"}, "square");
  maker.loss("ReduceMean", "square");
  return maker;
}

struct Training {
  int64_t microBatch = 4, microBatches = 2, ranks = 1;
};

/// The warnings of an import, without the path of the model.
std::vector<std::string> warningsOf(const ModelMaker &maker, const Training &asked = {}) {
  TemporaryFolder folder;
  CompileRequest request;
  request.model = folder.write("made.onnx", maker.bytes());
  std::vector<std::string> warnings;
  request.warn = [&](const std::string &text) { warnings.push_back(text.substr(request.model.size() + 2)); };
  TrainingOptions training;
  training.microBatch = asked.microBatch;
  training.microBatches = asked.microBatches;
  training.dataRanks = asked.ranks;
  training.globalBatch = asked.microBatch * asked.microBatches * asked.ranks;
  mlir::MLIRContext context;
  auto module = importInputs(context, request, training);
  EXPECT_TRUE(module) << module.status().message();
  return warnings;
}

/// The warning that names an operation.
std::vector<std::string> meetingIn(const std::string &name) {
  return {"the loss: examples of a micro-batch may meet in \"" + name +
          "\": a step then takes the mean of what each micro-batch computes, which may be another number "
          "than the loss of the whole batch (docs/training.md)"};
}

using Warnings = std::vector<std::string>;

TEST(MeetingExamples, getAWarning) {
  EXPECT_EQ(warningsOf(centred()), meetingIn("centre"));
  EXPECT_EQ(warningsOf(softmax(0)), meetingIn("shares"));
  EXPECT_EQ(warningsOf(rolled(0)), meetingIn("tail"));
  EXPECT_EQ(warningsOf(products(false)), meetingIn("products"));
  EXPECT_EQ(warningsOf(products(true)), meetingIn("products"));
}

TEST(MeetingExamples, examplesByThemselvesGetNone) {
  EXPECT_EQ(warningsOf(softmax(1)), Warnings());
  EXPECT_EQ(warningsOf(rolled(1)), Warnings());
}

/// The batch of a step is several micro-batches of one rank, or one of several ranks.
TEST(MeetingExamples, countWhereAMicroBatchIsNotTheBatch) {
  EXPECT_EQ(warningsOf(centred(), {.microBatches = 1, .ranks = 2}), meetingIn("centre"));
  EXPECT_EQ(warningsOf(centred(), {.microBatches = 1}), Warnings());
}

/// The examples of a batch meet in PyTorch though a micro-batch has one.
TEST(MeetingExamples, countWhereAMicroBatchHasOne) {
  EXPECT_EQ(warningsOf(centred(), {.microBatch = 1}), meetingIn("centre"));
  EXPECT_EQ(warningsOf(softmax(1), {.microBatch = 1}), Warnings());
}

/// Files of a fixed batch are looked at as they are; with one example they tell nothing.
TEST(MeetingExamples, areFoundInFilesOfAFixedBatch) {
  EXPECT_EQ(warningsOf(centred(4)), meetingIn("centre"));
  EXPECT_EQ(warningsOf(centred(1), {.microBatch = 1}), Warnings());
}

/// A micro-batch as long as another dimension.
TEST(MeetingExamples, areNotMistakenForOtherDimensions) {
  EXPECT_EQ(warningsOf(softmax(1), {.microBatch = 2}), Warnings());
  EXPECT_EQ(warningsOf(softmax(1), {.microBatch = 3}), Warnings());
  EXPECT_EQ(warningsOf(rolled(1), {.microBatch = 3}), Warnings());
}

/// One number that is computed from a sum over examples has the warning of the import alone.
TEST(MeetingExamples, aNumberHasOneWarning) {
  ModelMaker maker = scores();
  setAttribute(maker.node("ReduceMean", {"scores"}, "mean"), "keepdims", 0);
  maker.node("Exp", {"mean"}, "loss");
  maker.output("loss");
  const Warnings warnings = warningsOf(maker);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("the loss: \"loss\" is the mean of what each micro-batch computes"))
      << warnings[0];
}

/// The square of x.mean(0), where an example is one number. Its mean over one element looks like a mean over
/// the batch.
TEST(MeetingExamples, aSquareOfAMeanOverExamplesGetsAWarning) {
  ModelMaker maker;
  maker.input("x", {-1, 1});
  maker.weight("fc.weight", {1, 1}, {2});
  maker.node("MatMul", {"x", "fc.weight"}, "scores");
  setAxis(maker.node("ReduceMean", {"scores"}, "centre"), 0);
  maker.node("Mul", {"centre", "centre"}, "square");
  maker.loss("ReduceMean", "square");
  EXPECT_EQ(warningsOf(maker), meetingIn("centre"));
}

/// Whether --may-change-bits may take another micro-batch for a loss of one node, of distances to a target.
bool isFree(const char *reduction, const char *op = "Identity", const char *second = "") {
  ModelMaker maker = scores();
  maker.input("t", {-1, 3});
  maker.weight("half", {}, {0.5F});
  maker.node("Sub", {"scores", "t"}, "difference");
  maker.node("Mul", {"difference", "difference"}, "square");
  maker.node("Abs", {"difference"}, "distance");
  setAttribute(
      maker.node(reduction, {reduction == std::string("ReduceMean") ? "square" : "distance"}, "number"),
      "keepdims", 0);
  std::vector<std::string> inputs = {"number"};
  if (*second)
    inputs.emplace_back(second);
  maker.node(op, inputs, "loss");
  maker.output("loss");
  TemporaryFolder folder;
  CompileRequest request;
  request.model = folder.write("made.onnx", maker.bytes());
  TrainingOptions training;
  training.microBatch = 4;
  training.microBatches = 2;
  Result<bool> found = isMicroBatchFree(request, training);
  EXPECT_TRUE(found) << found.status().message();
  return found && *found;
}

/// The mean over micro-batches of a sum over examples doubles with the size of a micro-batch, and the mean of
/// roots is not the root of the mean.
TEST(MeetingExamples, leaveTheMicroBatchFreeWhereTheLossDoesNotChange) {
  EXPECT_TRUE(isFree("ReduceMean"));
  EXPECT_FALSE(isFree("ReduceSum", "Mul", "half"));
  EXPECT_FALSE(isFree("ReduceMean", "Sqrt"));
}

} // namespace
