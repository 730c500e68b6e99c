// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's Attention operator: queries that see no key, and values of another size than keys.
#include "test/compiler/import/onnx/ModelMaker.h"
#include <limits>

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

/// An attention of 2 heads, 3 tokens and keys of 4. `never`: the number that is added where a key is hidden.
ModelMaker attention(float never, int64_t valueSize = 4, int64_t valueHeads = 2) {
  ModelMaker maker(23);
  maker.input("x", {-1, 2, 3, 4});
  maker.input("v", {-1, valueHeads, 3, valueSize});
  maker.input("visible", {-1, 1, 3, 3});
  maker.weight("scale", {4}, {1, 2, 3, 4});
  for (const auto &[name, number] : {std::pair("zero", 0.0f), {"never", never}}) {
    auto *value = maker.node("Constant", {}, name).add_attribute();
    value->set_name("value_float");
    value->set_type(1); // a float
    value->set_f(number);
  }
  maker.node("Mul", {"x", "scale"}, "queries");
  maker.node("Greater", {"visible", "zero"}, "sees");
  maker.node("Where", {"sees", "zero", "never"}, "mask");
  maker.node("Attention", {"queries", "x", "v", "mask"}, "mixed");
  maker.node("Mul", {"mixed", "mixed"}, "square");
  maker.loss("ReduceMean", "square");
  return maker;
}

int64_t choicesOf(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  EXPECT_TRUE(description) << description.status().message();
  if (!description)
    return -1;
  const json &ops = description->document["ops"];
  return std::ranges::count_if(ops, [](const json &op) { return op["op"] == "where"; });
}

/// If infinity hides all keys of a query, its weights are zero. If the lowest number does, all scores are
/// equal.
TEST(OnnxOwnAttention, onlyInfinitiesLeaveNothing) {
  const int64_t infinite = choicesOf(attention(-std::numeric_limits<float>::infinity())),
                finite = choicesOf(attention(std::numeric_limits<float>::lowest()));
  EXPECT_EQ(infinite, finite + 1);
}

TEST(OnnxOwnAttention, valuesOfAnotherSizeAreRefused) {
  Result<OnnxDescription> description =
      describeModel(attention(std::numeric_limits<float>::lowest(), /*valueSize=*/3));
  ASSERT_FALSE(description);
  EXPECT_NE(description.status().message().find("values must have the size of keys"), std::string::npos)
      << description.status().message();
}

TEST(OnnxOwnAttention, headsThatDoNotAgreeAreRefused) {
  Result<OnnxDescription> description =
      describeModel(attention(std::numeric_limits<float>::lowest(), /*valueSize=*/4, /*valueHeads=*/3));
  ASSERT_FALSE(description);
  EXPECT_NE(description.status().message().find("must have the heads' sizes"), std::string::npos)
      << description.status().message();
}

} // namespace
