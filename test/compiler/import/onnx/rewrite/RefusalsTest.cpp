// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All unsupported parts of a file are reported in one error.
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

/// Operators that must be known before the run are listed together with those that no training step supports.
/// Alone they are no error if they do not reach the loss.
TEST(OnnxRefusals, operatorsThatMustBeKnownAreListedWithThem) {
  ModelMaker maker = linearModel();
  maker.node("Floor", {"x"}, "a", "/fc/Floor");
  maker.node("Floor", {"fc.bias"}, "b", "/fc/Floor_1");
  EXPECT_TRUE(describeModel(maker));
  maker.node("LSTM", {"a"}, "c", "/rnn/LSTM");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_FALSE(description);
  const std::string &message = description.status().message();
  EXPECT_TRUE(
      message.ends_with("operators that are not supported:\n"
                        "  Floor, 1 node: must be known before the run, and depends on data\n"
                        "    node \"/fc/Floor\" (Floor) in fc\n"
                        "  LSTM, 1 node\n"
                        "    node \"/rnn/LSTM\" (LSTM) in rnn\n"
                        "  docs/onnx.md says which are, and how to export so that a file has no others"))
      << message;
}

/// All such nodes are listed, whatever the reason, and so are their readers.
TEST(OnnxRefusals, nodesThatCannotBeTrainedAreListedAtOnce) {
  ModelMaker maker;
  maker.input("t", {-1, 2}, onnx::DataType::Int64);
  maker.input("x", {-1, 2});
  maker.weight("fc.weight", {2}, {1, 2});
  maker.node("Abs", {"t"}, "whole", "/fc/Abs");
  auto *to = maker.node("Cast", {"whole"}, "real", "/fc/Cast").add_attribute();
  to->set_name("to");
  to->set_type(2); // an integer
  to->set_i(1);
  maker.node("Mul", {"real", "fc.weight"}, "scaled", "/fc/Mul");
  for (int i = 0; i < 4; ++i)
    maker.node("Floor", {i == 0 ? "scaled" : "floor" + std::to_string(i - 1)}, "floor" + std::to_string(i),
               "/fc/Floor_" + std::to_string(i));
  maker.node("Mul", {"floor3", "x"}, "product");
  maker.node("ReduceMean", {"product"}, "loss");
  maker.output("loss");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_FALSE(description);
  const std::string &message = description.status().message();
  EXPECT_TRUE(
      message.ends_with("operators that are not supported as they are used here:\n"
                        "  Abs, 1 node: must be of floating-point numbers where it depends on data\n"
                        "    node \"/fc/Abs\" (Abs) in fc\n"
                        "  Floor, 4 nodes: must be known before the run, and depends on data\n"
                        "    node \"/fc/Floor_0\" (Floor) in fc\n"
                        "    node \"/fc/Floor_1\" (Floor) in fc\n"
                        "    node \"/fc/Floor_2\" (Floor) in fc\n"
                        "    ...\n"
                        "  docs/onnx.md says which are, and how to export so that a file has no others"))
      << message;
}

} // namespace
