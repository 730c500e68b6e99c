// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention by blocks, compared with attention of all scores at once and with finite differences.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/AttentionBlocks.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/interpreter/TestModule.h"

#include <limits>

using namespace mlir;

namespace windlass::graph {
namespace {

using interpreter::Interpreter;
using interpreter::Tensor;
using interpreter::Tensors;
using interpreter::TestModule;

/// An attention of batch 2 over inputs of these types. `options` is the text between its batch and its types,
/// with FLOAT for the type of the inputs.
struct Case {
  std::string name;
  std::vector<std::string> inputs; ///< one packed input, or three
  std::string extra;               ///< further arguments: a mask, keys of random streams
  std::string mask, options, attributes;
  int64_t queries, keys, heads;
  int64_t blocks;          ///< the number of products of queries and keys under the limit of the test
  bool learnsMask = false; ///< the gradient also has that of the mask
  int64_t hidesEvery = 0;  ///< every so many rows of the mask, the last of them hides all keys

  std::string maskType() const {
    return mask.substr(mask.find("tensor"), mask.find_last_of('>') + 1 - mask.find("tensor"));
  }
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

constexpr int64_t kBatch = 2, kSize = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string joined(const std::vector<std::string> &parts, const std::string &before = "") {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + before + part;
  return text;
}

std::string matrix(int64_t tokens, int64_t columns) {
  return "tensor<" + std::to_string(kBatch * tokens) + "x" + std::to_string(columns) + "xFLOAT>";
}

/// @f is the attention, and @g its gradient. Both take the inputs last.
std::string moduleText(const Case &tested, const std::string &element) {
  std::vector<std::string> names, typed;
  for (size_t i = 0; i < tested.inputs.size(); ++i) {
    names.push_back("%x" + std::to_string(i));
    typed.push_back(names.back() + ": " + tested.inputs[i]);
  }
  std::string output = matrix(tested.queries, tested.heads * kSize);
  std::string lse =
      "tensor<2x" + std::to_string(tested.heads) + "x" + std::to_string(tested.queries) + "xf32>";
  std::string arguments = joined(typed) + tested.extra;
  std::string what = joined(names) + " " + tested.mask + " batch(2) heads(" + std::to_string(tested.heads) +
                     ") " + tested.options + " " + tested.attributes + " : ";
  std::string types = joined(tested.inputs), results = "%g#0";
  const size_t count = names.size() + tested.learnsMask;
  for (size_t i = 1; i < count; ++i)
    results += ", %g#" + std::to_string(i);
  const std::string gradients = types + (tested.learnsMask ? ", " + tested.maskType() : "");
  std::string text = "func.func @f(" + arguments + ") -> (" + output + ", " + lse +
                     ") {\n%y, %l = graph.attention " + what + types + " -> " + output + ", " + lse +
                     "\nreturn %y, %l : " + output + ", " + lse + "\n}\nfunc.func @g(%d: " + output +
                     ", %o: " + output + ", %l: " + lse + ", " + arguments + ") -> (" + gradients +
                     ") {\n%g:" + std::to_string(count) + " = graph.attention_grad %d, %o, %l of " + what +
                     output + ", " + output + ", " + lse + " of " + types + " -> " + gradients + "\nreturn " +
                     results + " : " + gradients + "\n}";
  return interpreter::replaced(text, "FLOAT", element);
}

/// The limit under which blocks have 16 queries and 16 keys.
int64_t limitOf(const Case &tested) { return 4 * kBatch * tested.heads * 16 * 16; }

void block(ModuleOp module, int64_t limit) {
  PassManager manager(module.getContext());
  manager.addPass(createBlockAttention({limit}));
  ASSERT_TRUE(succeeded(manager.run(module)));
}

/// Arguments of @f. Every third value of an additive mask hides its pair.
Tensors drawArguments(const Case &tested, func::FuncOp function) {
  std::mt19937 random(17);
  Tensors arguments = interpreter::randomArguments(function, random, -1, 1, 1 << 20);
  if (!tested.mask.empty()) {
    Tensor &mask = arguments[tested.inputs.size()];
    for (int64_t i = 0; i < mask.size(); ++i)
      if (i % 3 == 2 || // not the first key, which may be the only one that a query sees
          (tested.hidesEvery != 0 && (i / mask.shape.back() + 1) % tested.hidesEvery == 0))
        mask.data[i] = -kInfinity;
  }
  for (auto [type, argument] : llvm::zip_equal(function.getArgumentTypes(), arguments))
    if (cast<RankedTensorType>(type).getRank() == 0) // the block of the batch
      argument.data[0] = 3;
  return arguments;
}

/// The arguments of the gradient: its own, and then those of the attention.
Tensors gradientArguments(const Tensors &forward, const Tensors &arguments) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> real(-1, 1);
  Tensor seed = forward[0];
  for (double &value : seed.data)
    value = real(random);
  Tensors all{seed, forward[0], forward[1]};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

/// A tensor with 0 in place of inf, which is expected where `expected` has it.
Tensor finite(Tensor tensor, const Tensor &expected) {
  for (auto [value, other] : llvm::zip_equal(tensor.data, expected.data)) {
    EXPECT_EQ(value == kInfinity, other == kInfinity);
    value = value == kInfinity ? 0 : value;
  }
  return tensor;
}

/// Expects the result 0 of queries that see no key, whose log-sum-exp is inf. Returns their number.
int64_t expectZeroWhereHidden(const Case &tested, const Tensors &forward) {
  int64_t hidden = 0;
  for (int64_t row = 0; row < forward[1].size(); ++row) {
    if (forward[1].data[row] != kInfinity)
      continue;
    ++hidden;
    const int64_t query = row % tested.queries, head = row / tested.queries % tested.heads;
    const int64_t token = row / tested.queries / tested.heads * tested.queries + query;
    for (int64_t d = 0; d < kSize; ++d)
      EXPECT_EQ(forward[0].data[(token * tested.heads + head) * kSize + d], 0);
  }
  return hidden;
}

class BlockAttention : public testing::TestWithParam<Case> {
protected:
  void expectAgreement(const std::string &element, interpreter::Options options, double tolerance) {
    TestModule test(moduleText(GetParam(), element));
    ASSERT_TRUE(test.module);
    Tensors arguments = drawArguments(GetParam(), test.function("f"));
    Tensors result = Interpreter(*test.module, options).call("f", arguments).take();
    Tensors seeded = gradientArguments(result, arguments);
    Tensors gradients = Interpreter(*test.module, options).call("g", seeded).take();
    EXPECT_EQ(expectZeroWhereHidden(GetParam(), result) > 0, GetParam().name.starts_with("hidden"));
    block(*test.module, limitOf(GetParam()));
    ASSERT_TRUE(test.verifies());
    for (auto [name, given, expected] :
         {std::tuple("f", &arguments, &result), std::tuple("g", &seeded, &gradients)}) {
      Tensors found = Interpreter(*test.module, options).call(name, *given).take();
      ASSERT_EQ(found.size(), expected->size());
      for (auto [one, other] : llvm::zip_equal(found, *expected))
        interpreter::expectNear(finite(one, other), finite(other, one), tolerance);
      if (given == &arguments)
        expectZeroWhereHidden(GetParam(), found);
    }
  }
};

TEST_P(BlockAttention, AgreesInF64) { expectAgreement("f32", {}, 1e-12); }

TEST_P(BlockAttention, AgreesInF64OnNarrowTypes) { expectAgreement("bf16", {}, 1e-12); }

TEST_P(BlockAttention, AgreesRoundedToF32) {
  interpreter::Options rounded;
  rounded.roundToTypes = true;
  expectAgreement("f32", rounded, 1e-5);
}

TEST_P(BlockAttention, AgreesRoundedToBf16) {
  interpreter::Options rounded;
  rounded.roundToTypes = true;
  expectAgreement("bf16", rounded, 0.03);
}

/// The scores of a block are the largest tensor of pairs, and blocks that no query sees are left out.
TEST_P(BlockAttention, LeavesNoTensorOfAllPairs) {
  const Case &tested = GetParam();
  TestModule test(moduleText(tested, "f32"));
  block(*test.module, limitOf(tested));
  int64_t products = 0;
  test.function("f").walk([&](MatmulOp op) { products += op.getTransposeB(); });
  EXPECT_EQ(products, tested.blocks);
  test.module->walk([&](Operation *op) {
    EXPECT_FALSE((isa<AttentionOp, AttentionGradOp>(op)));
    if (!isa<MatmulOp, SoftmaxOp>(op))
      return;
    int64_t most = std::max(limitOf(tested) / 4, kBatch * tested.heads * 16 * kSize);
    for (Value result : op->getResults())
      EXPECT_LE(typeOf(result).getNumElements(), most);
  });
}

/// The derivative of the blocked forward pass along a direction is that of the blocked gradient.
TEST_P(BlockAttention, HasTheGradientOfItsForwardPass) {
  const Case &tested = GetParam();
  TestModule test(moduleText(tested, "f32"));
  block(*test.module, limitOf(tested));
  Interpreter blocked(*test.module, {});
  Tensors arguments = drawArguments(tested, test.function("f"));
  Tensors seeded = gradientArguments(blocked.call("f", arguments).take(), arguments);
  Tensors gradients = blocked.call("g", seeded).take();
  std::mt19937 random(23);
  std::uniform_real_distribution<double> real(-1, 1);
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < gradients.size(); ++i) { // a mask is the argument behind the inputs
    Tensor direction = arguments[i];
    for (double &value : direction.data)
      value = real(random);
    auto lossAt = [&](double step) {
      Tensors moved = arguments;
      for (int64_t e = 0; e < direction.size(); ++e)
        moved[i].data[e] += step * direction.data[e];
      return interpreter::dot(seeded[0], blocked.call("f", moved).take()[0]);
    };
    double expected = (lossAt(kStep) - lossAt(-kStep)) / (2 * kStep);
    EXPECT_NEAR(interpreter::dot(gradients[i], direction), expected,
                1e-7 * std::max(1.0, std::fabs(expected)))
        << "input " << i;
  }
}

std::vector<Case> cases() {
  const std::string random = ", %r: tensor<2x2xi32>, %b: tensor<i32>";
  const std::string drops = "random(%r, %b : tensor<2x2xi32>, tensor<i32>)";
  const std::vector<std::string> packed = {matrix(40, 3 * 2 * kSize)};
  const std::vector<std::string> grouped = {matrix(40, 4 * kSize), matrix(40, 2 * kSize),
                                            matrix(40, 2 * kSize)};
  const std::vector<std::string> crossed = {matrix(20, 2 * kSize), matrix(50, 2 * kSize),
                                            matrix(50, 2 * kSize)};
  const std::vector<std::string> few = {matrix(50, 2 * kSize), matrix(20, 2 * kSize), matrix(20, 2 * kSize)};
  return {
      {"packed", packed, "", "", "", "", 40, 40, 2, 9},
      {"causal", packed, "", "", "causal", "", 40, 40, 2, 6},
      {"window", packed, "", "", "causal window(5)", "", 40, 40, 2, 5},
      {"wide_window", packed, "", "", "causal window(20)", "", 40, 40, 2, 6},
      {"window_of_the_past_only", packed, "", "", "window(3)", "", 40, 40, 2, 8},
      {"dropout", packed, random, "", "causal dropout(0.25) " + drops, "{site = 1 : i64}", 40, 40, 2, 6},
      {"grouped", grouped, "", "", "kv_heads(2) causal scale(0.3)", "", 40, 40, 4, 6},
      {"grouped_dropout", grouped, random, "", "kv_heads(2) dropout(0.5) " + drops, "", 40, 40, 4, 9},
      {"keys_of_other_tokens", crossed, "", "", "", "", 20, 50, 2, 8},
      {"padding_mask", crossed, ", %m: tensor<2x1x1x50xf32>", "mask(%m : tensor<2x1x1x50xf32>)", "", "", 20,
       50, 2, 8},
      {"pair_mask", packed, ", %m: tensor<1x2x40x40xf32>", "mask(%m : tensor<1x2x40x40xf32>)",
       "causal window(18)", "", 40, 40, 2, 6},
      {"one_value_mask_dropout", grouped, ", %m: tensor<1x1x1x40xf32>" + random,
       "mask(%m : tensor<1x1x1x40xf32>)", "kv_heads(2) causal dropout(0.25) " + drops, "", 40, 40, 4, 6},
      {"learned_padding_mask", crossed, ", %m: tensor<2x1x1x50xFLOAT>", "mask(%m : tensor<2x1x1x50xFLOAT>)",
       "", "", 20, 50, 2, 8, true},
      {"learned_pair_mask", packed, ", %m: tensor<1x2x40x40xFLOAT>", "mask(%m : tensor<1x2x40x40xFLOAT>)",
       "causal window(18)", "", 40, 40, 2, 6, true},
      {"learned_mask_of_all_heads_dropout", grouped, ", %m: tensor<1x1x40x40xFLOAT>" + random,
       "mask(%m : tensor<1x1x40x40xFLOAT>)", "kv_heads(2) causal dropout(0.25) " + drops, "", 40, 40, 4, 6,
       true},
      {"hidden_by_a_window", few, "", "", "window(5)", "", 50, 20, 2, 6},
      {"hidden_by_a_causal_window", few, "", "", "causal window(20)", "", 50, 20, 2, 6},
      {"hidden_examples", crossed, ", %m: tensor<2x1x1x50xf32>", "mask(%m : tensor<2x1x1x50xf32>)", "", "",
       20, 50, 2, 8, false, 2},
      {"hidden_queries", packed, ", %m: tensor<1x2x40x40xFLOAT>", "mask(%m : tensor<1x2x40x40xFLOAT>)",
       "causal window(18)", "", 40, 40, 2, 6, true, 8},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, BlockAttention, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

TEST(ChooseBlocks, AreFewEvenAndSquare) {
  auto chosen = [](int64_t queries, int64_t keys, int64_t scores) {
    BlockShape shape = chooseBlocks({.perPair = 3, .queries = queries, .keys = keys}, 4 * 3 * scores);
    return std::pair(shape.queries, shape.keys);
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(chosen(1024, 1024, 256 * 256), Pair(256, 256));
  EXPECT_EQ(chosen(1024, 1024, 300 * 300), Pair(256, 256));     // blocks of 288 would need four as well
  EXPECT_EQ(chosen(1000, 1000, 256 * 256), Pair(256, 256));     // the last block has 232
  EXPECT_EQ(chosen(1000, 1000, 500 * 500 - 1), Pair(336, 336)); // blocks of 496 would need three as well
  EXPECT_EQ(chosen(4096, 64, 128 * 64), Pair(128, 64));         // few keys stay together
  EXPECT_EQ(chosen(20, 4096, 20 * 1024), Pair(20, 1024));       // few queries stay together
  EXPECT_EQ(chosen(40, 40, 16 * 16), Pair(16, 16));
  EXPECT_EQ(chosen(40, 40, 15 * 15), Pair(12, 12)); // less than a vector
  EXPECT_EQ(chosen(7, 4096, 7 * 16), Pair(7, 16));
  EXPECT_EQ(chosen(3, 40, 3 * 4), Pair(3, 4)); // the smallest block
}

} // namespace
} // namespace windlass::graph
