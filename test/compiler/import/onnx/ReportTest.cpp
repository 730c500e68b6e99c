// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report on a file that computes in other types than its plan.
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

std::vector<std::string> warningsOf(const ModelMaker &maker, Precision compute) {
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  training.compute = compute;
  Result<OnnxDescription> found = describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
  EXPECT_TRUE(found) << found.status().message();
  return found ? found->warnings : std::vector<std::string>();
}

/// The mean of a value that is cast to a type and back.
ModelMaker roundedTo(onnx::DataType type) {
  ModelMaker maker;
  maker.input("x", {-1, 3});
  maker.weight("fc.weight", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  maker.node("MatMul", {"x", "fc.weight"}, "logits");
  auto cast = [&](const char *from, onnx::DataType to, const char *result) {
    onnx::wire::Attribute *attribute = maker.node("Cast", {from}, result).add_attribute();
    attribute->set_name("to");
    attribute->set_type(2); // an integer
    attribute->set_i(static_cast<int>(to));
  };
  cast("logits", type, "rounded");
  cast("rounded", onnx::DataType::Float, "back");
  maker.loss("ReduceMean", "back");
  return maker;
}

std::vector<std::string> noteOf(const std::string &type) {
  return {"1 value of type " + type +
          " in the file: a plan computes in what precision.compute of the training file says, and rounds "
          "nothing to "
          "other types in between"};
}

TEST(OnnxReport, saysWhatTheFileRoundsAndAPlanDoesNot) {
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::Float16), Precision::Fp32), noteOf("float16"));
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::BFloat16), Precision::Fp16), noteOf("bfloat16"));
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::Double), Precision::Bf16), noteOf("double"));
}

TEST(OnnxReport, saysNothingOfTheTypeThatIsAskedFor) {
  const std::vector<std::string> none;
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::Float16), Precision::Fp16), none);
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::BFloat16), Precision::Bf16), none);
  EXPECT_EQ(warningsOf(roundedTo(onnx::DataType::Float), Precision::Fp32), none);
}

} // namespace
