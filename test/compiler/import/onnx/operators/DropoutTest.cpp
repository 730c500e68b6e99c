// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dropout nodes, as the file and the training file together define them.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/runtime/training/TemporaryFolder.h"

using namespace windlass;
using namespace windlass::test;

namespace {

void constant(ModelMaker &maker, const std::string &name, onnx::DataType type, const std::string &bytes) {
  auto *value = maker.node("Constant", {}, name).add_attribute();
  value->set_name("value");
  value->set_type(4); // a tensor
  value->mutable_t()->set_data_type(static_cast<int>(type));
  value->mutable_t()->set_raw_data(bytes);
}

void attribute(onnx::wire::Node &node, const std::string &name, int64_t value) {
  auto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(2); // an integer
  attribute->set_i(value);
}

/// x -> MatMul -> Dropout -> loss. `readsMask`: the loss has the mask as a factor.
ModelMaker droppingModel(float ratio, bool trains, bool readsMask = false) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  std::string number(sizeof ratio, 0);
  std::memcpy(number.data(), &ratio, sizeof ratio);
  constant(maker, "ratio", onnx::DataType::Float, number);
  constant(maker, "trains", onnx::DataType::Bool, std::string(1, trains ? 1 : 0));
  maker.node("MatMul", {"x", "fc.weight"}, "prediction", "/fc/MatMul");
  auto &dropout = maker.node("Dropout", {"prediction", "ratio", "trains"}, "kept");
  if (readsMask) {
    dropout.add_output("mask");
    attribute(maker.node("Cast", {"mask"}, "factor"), "to", static_cast<int>(onnx::DataType::Float));
  }
  maker.node("Mul", {"kept", readsMask ? "factor" : "kept"}, "square");
  attribute(maker.node("ReduceMean", {"square"}, "loss"), "keepdims", 0);
  maker.output("loss");
  return maker;
}

Result<OnnxDescription> describe(const ModelMaker &maker, Dropout dropout = Dropout::Keep) {
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  training.dropout = dropout;
  return describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
}

/// The rates of the document's dropouts.
std::vector<double> ratesOf(const ModelMaker &maker, Dropout dropout = Dropout::Keep) {
  Result<OnnxDescription> description = describe(maker, dropout);
  EXPECT_TRUE(description) << description.status().message();
  std::vector<double> rates;
  if (description)
    for (const auto &op : description->document["ops"])
      if (op["op"] == "dropout")
        rates.push_back(op["rate"]);
  return rates;
}

TEST(OnnxDropout, happensWhereTheFileTrainsAndTrainingKeepsIt) {
  EXPECT_EQ(ratesOf(droppingModel(0.25F, true)), std::vector<double>{0.25});
  EXPECT_EQ(ratesOf(droppingModel(0.25F, true), Dropout::Off), std::vector<double>());
  EXPECT_EQ(ratesOf(droppingModel(0.25F, false)), std::vector<double>());
  EXPECT_EQ(ratesOf(droppingModel(0, true)), std::vector<double>());
}

TEST(OnnxDropout, ofEverythingIsRefused) {
  const std::string message = describe(droppingModel(1, true)).status().message();
  EXPECT_NE(message.find("its ratio must be at least 0 and below 1, is 1.0"), std::string::npos) << message;
}

TEST(OnnxDropout, whoseMaskIsReadIsRefused) {
  const std::string message = describe(droppingModel(0.25F, true, /*readsMask=*/true)).status().message();
  EXPECT_NE(message.find("result 1 is not supported, and is read"), std::string::npos) << message;
}

/// Two dropouts of one value, as in contrastive training: their nodes are equal, and their masks are not.
TEST(OnnxDropout, ofOneValueTwiceIsTwoDropouts) {
  ModelMaker maker = droppingModel(0.25F, true);
  maker.graph().mutable_node()->DeleteSubrange(4, 2); // removes the product and its mean
  maker.node("Dropout", {"prediction", "ratio", "trains"}, "again");
  maker.node("Mul", {"kept", "again"}, "product");
  attribute(maker.node("ReduceMean", {"product"}, "loss"), "keepdims", 0);
  EXPECT_EQ(ratesOf(maker), (std::vector<double>{0.25, 0.25}));
}

/// x -> MatMul -> x * (uniform numbers < share) -> loss, the form of Dropout2d and stochastic depth.
ModelMaker drawingModel(float share) {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  std::string number(sizeof share, 0);
  std::memcpy(number.data(), &share, sizeof share);
  constant(maker, "share", onnx::DataType::Float, number);
  maker.node("MatMul", {"x", "fc.weight"}, "prediction", "/fc/MatMul");
  maker.node("RandomUniformLike", {"prediction"}, "uniform");
  maker.node("Less", {"uniform", "share"}, "drawn");
  attribute(maker.node("Cast", {"drawn"}, "mask"), "to", static_cast<int>(onnx::DataType::Float));
  maker.node("Mul", {"prediction", "mask"}, "kept");
  attribute(maker.node("ReduceMean", {"kept"}, "loss"), "keepdims", 0);
  maker.output("loss");
  return maker;
}

TEST(OnnxDropout, masksThatAreDrawnAreDroppedOnes) {
  EXPECT_EQ(ratesOf(drawingModel(0.75F)), std::vector<double>{0.25});
  EXPECT_EQ(ratesOf(drawingModel(0.75F), Dropout::Off), std::vector<double>());
  Result<OnnxDescription> refused = describe(drawingModel(0));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.status().message().find("RandomUniformLike"), std::string::npos)
      << refused.status().message();
}

} // namespace
