// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are computed from data fit those of a plan, or the file is refused.
#include "test/compiler/import/onnx/ModelMaker.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using onnx::DataType;

/// Tokens below 1000, since a table is read with them, and numbers that nothing bounds. `made` makes "number"
/// of them, which multiplies the loss.
template <typename Make> ModelMaker modelOf(Make make, DataType type = DataType::Int64) {
  ModelMaker maker;
  maker.input("tokens", {-1, 2}, type);
  maker.input("numbers", {-1, 2}, type);
  maker.input("mask", {-1, 2}, type);
  maker.weight("table.weight", {1000, 2}, std::vector<float>(2000, 1));
  maker.weight("scale", {2}, {1, 2});
  make(maker);
  maker.node("Gather", {"table.weight", "tokens"}, "rows");
  setAttribute(maker.node("Cast", {"number"}, "real"), "to", static_cast<int64_t>(DataType::Float));
  maker.node("Mul", {"real", "scale"}, "scaled");
  maker.node("ReduceSum", {"rows"}, "a");
  maker.node("ReduceSum", {"scaled"}, "b");
  maker.node("Add", {"a", "b"}, "y");
  maker.loss("ReduceSum", "y");
  return maker;
}

/// An initializer of one whole number.
void constant(ModelMaker &maker, const std::string &name, int64_t value, DataType type = DataType::Int64) {
  onnx::wire::Tensor &tensor = maker.integers(name, {}, {value});
  if (type == DataType::Int64)
    return;
  tensor.set_data_type(static_cast<int>(type));
  tensor.clear_int64_data();
  tensor.add_int32_data(static_cast<int32_t>(value));
}

std::string errorOf(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  const std::string message = description ? "" : description.status().message();
  return message.substr(std::min(message.size(), message.find(": ") + 2));
}

std::string warningOf(const ModelMaker &maker) {
  Result<OnnxDescription> description = describeModel(maker);
  EXPECT_TRUE(description) << description.status().message();
  if (!description)
    return {};
  for (const std::string &warning : description->warnings)
    if (warning.find("integers of 64 bits") != std::string::npos)
      return warning;
  return {};
}

TEST(OnnxWholeNumbers, productsFitThirtyTwoBits) {
  for (int64_t factor : {2149633, 2149634}) // 999 * 2149633 is below 2^31
    for (DataType type : {DataType::Int64, DataType::Int32}) {
      const ModelMaker maker = modelOf(
          [&](ModelMaker &made) {
            constant(made, "factor", factor, type);
            made.node("Mul", {"tokens", "factor"}, "number");
          },
          type);
      EXPECT_EQ(errorOf(maker),
                factor == 2149633 || type == DataType::Int32
                    ? ""
                    : "node \"/number\" (Mul): must fit the integers of 32 bits that a plan has "
                      "where it depends on data, and can be from 0 to 2147484366");
    }
}

/// Sums, differences, choices, minima and moved elements have bounds that follow from those of the operands.
TEST(OnnxWholeNumbers, boundsFollowTheGraph) {
  struct Step {
    const char *op;
    std::vector<std::string> inputs;
    bool fits;
  };
  const std::vector<Step> steps = {{"Add", {"tokens", "most"}, false},
                                   {"Add", {"mask", "less"}, true},
                                   {"Sub", {"tokens", "most"}, true},
                                   {"Sub", {"less", "negative"}, false},
                                   {"Sum", {"less", "mask", "mask"}, false}};
  for (const Step &step : steps) {
    const ModelMaker maker = modelOf([&](ModelMaker &made) {
      constant(made, "most", INT32_MAX);
      constant(made, "less", INT32_MAX - 1);
      made.node("Neg", {"tokens"}, "negative");
      made.node(step.op, step.inputs, "number");
    });
    EXPECT_EQ(errorOf(maker).empty(), step.fits) << step.op << ": " << errorOf(maker);
  }
}

TEST(OnnxWholeNumbers, productsOfUnknownNumbersGetAWarning) {
  const auto warned = [](const std::string &x, const std::string &y) {
    return warningOf(modelOf([&](ModelMaker &maker) {
      constant(maker, "three", 3);
      constant(maker, "thousand", 1000);
      maker.node("Min", {"numbers", "thousand"}, "few");
      maker.node("Mul", {x, y}, "number");
    }));
  };
  EXPECT_NE(
      warned("numbers", "three").find("node \"/number\" (Mul): multiplies integers of 64 bits whose range"),
      std::string::npos);
  EXPECT_EQ(warned("numbers", "mask"), "");
  EXPECT_EQ(warned("tokens", "three"), "");
}

/// A minimum has the bound of one operand, and a maximum that of the other.
TEST(OnnxWholeNumbers, clampedNumbersHaveBounds) {
  const ModelMaker maker = modelOf([](ModelMaker &made) {
    constant(made, "ten", 10);
    constant(made, "zero", 0);
    constant(made, "large", 1 << 30);
    made.node("Min", {"numbers", "ten"}, "few");
    made.node("Max", {"few", "zero"}, "natural");
    made.node("Mul", {"natural", "large"}, "number");
  });
  EXPECT_NE(errorOf(maker).find("can be from 0 to 10737418240"), std::string::npos) << errorOf(maker);
}

/// A clip has its own bounds, whatever it clips: an integer, or a real number that becomes one.
TEST(OnnxWholeNumbers, clippedNumbersHaveBounds) {
  const auto clipped = [](int64_t factor, std::vector<std::string> inputs, bool isReal) {
    return modelOf([&](ModelMaker &made) {
      constant(made, "ten", 10);
      constant(made, "least", -10);
      constant(made, "most", INT64_MAX);
      constant(made, "beyond", int64_t(1) << 40);
      constant(made, "factor", factor);
      made.weight("realTen", {}, {10});
      made.weight("realLeast", {}, {-10});
      if (isReal)
        made.input("reals", {-1, 2});
      made.node("Clip", inputs, "natural");
      if (isReal)
        setAttribute(made.node("Cast", {"natural"}, "whole"), "to", static_cast<int64_t>(DataType::Int64));
      made.node("Mul", {isReal ? "whole" : "natural", "factor"}, "number");
    });
  };
  const std::vector<std::string> whole = {"numbers", "least", "ten"},
                                 real = {"reals", "realLeast", "realTen"};
  for (const auto &inputs : {whole, real}) {
    const bool isReal = inputs[0] == "reals";
    const ModelMaker fits = clipped(200000000, inputs, isReal), large = clipped(300000000, inputs, isReal);
    EXPECT_EQ(errorOf(fits), "");
    EXPECT_EQ(warningOf(fits), "");
    EXPECT_NE(errorOf(large).find("can be from -3000000000 to 3000000000"), std::string::npos)
        << errorOf(large);
  }
  // Bounded on one side, or by more than 32 bits: the product is unknown.
  EXPECT_NE(warningOf(clipped(3, {"numbers", "least"}, false)), "");
  EXPECT_NE(warningOf(clipped(3, {"numbers", "", "most"}, false)), "");
  EXPECT_NE(errorOf(clipped(1, {"numbers", "beyond"}, false)).find("node \"/natural\" (Clip): must fit"),
            std::string::npos);
}

/// Real numbers are rounded on their way, in bf16 to 8 bits.
TEST(OnnxWholeNumbers, roundedNumbersMayReachTheNextBound) {
  for (int64_t bound : {255, 256, 257}) { // 257 has 9 bits
    const ModelMaker maker = modelOf([&](ModelMaker &made) {
      made.input("reals", {-1, 2});
      made.weight("zero", {}, {0});
      made.weight("bound", {}, {static_cast<float>(bound)});
      constant(made, "factor", 8388607); // by 256 it is below 2^31
      made.node("Clip", {"reals", "zero", "bound"}, "clipped");
      setAttribute(made.node("Cast", {"clipped"}, "whole"), "to", static_cast<int64_t>(DataType::Int64));
      made.node("Mul", {"whole", "factor"}, "number");
    });
    EXPECT_EQ(errorOf(maker).empty(), bound <= 256) << errorOf(maker);
  }
}

/// A conversion to uint8 wraps around in the file, and would not in a plan.
TEST(OnnxWholeNumbers, bytesAreFromZeroTo255) {
  const auto error = [](const std::string &from, const std::string &steps = "") {
    return errorOf(modelOf([&](ModelMaker &maker) {
      constant(maker, "hundred", 100);
      constant(maker, "byte", 200, DataType::Uint8);
      setAttribute(maker.node("Cast", {"tokens"}, "reals"), "to", static_cast<int64_t>(DataType::Float));
      maker.node("Min", {"tokens", "hundred"}, "few");
      maker.node("Less", {"tokens", "hundred"}, "isLess");
      setAttribute(maker.node("Cast", {from}, "bytes"), "to", static_cast<int64_t>(DataType::Uint8));
      maker.node(steps.empty() ? "Identity" : steps,
                 steps.empty() ? std::vector<std::string>{"bytes"}
                               : std::vector<std::string>{"bytes", "byte"},
                 "number");
    }));
  };
  const std::string rule = "must be from 0 to 255 where it depends on data, as a plan's integers do not wrap "
                           "around like those of uint8";
  EXPECT_EQ(error("tokens"), "node \"/bytes\" (Cast): " + rule + ", and can be from 0 to 999");
  EXPECT_EQ(error("reals"), "node \"/bytes\" (Cast): " + rule + ", and can be from 0 to 1000"); // in bf16
  EXPECT_EQ(error("numbers"), "node \"/bytes\" (Cast): " + rule);
  EXPECT_EQ(error("few"), "");
  EXPECT_EQ(error("isLess"), "");
  EXPECT_EQ(error("few", "Add"), "node \"/number\" (Add): " + rule + ", and can be from 200 to 300");
  EXPECT_EQ(error("few", "Max"), "");
}

/// A table that is read with bytes bounds the numbers that become bytes.
TEST(OnnxWholeNumbers, conversionsKeepTheBoundOfATable) {
  for (int64_t rows : {256, 300}) {
    ModelMaker maker;
    maker.input("x", {-1, 2}, DataType::Int64);
    maker.weight("table.weight", {rows, 1}, std::vector<float>(static_cast<size_t>(rows), 1));
    setAttribute(maker.node("Cast", {"x"}, "bytes"), "to", static_cast<int64_t>(DataType::Uint8));
    setAttribute(maker.node("Cast", {"bytes"}, "places"), "to", static_cast<int64_t>(DataType::Int64));
    maker.node("Gather", {"table.weight", "places"}, "y");
    maker.loss("ReduceSum", "y");
    EXPECT_EQ(errorOf(maker).empty(), rows == 256) << errorOf(maker);
  }
}

/// Running sums are computed in f32.
TEST(OnnxWholeNumbers, runningSumsAreExactInF32) {
  for (int64_t factor : {8397, 8398}) { // 2 * 999 * 8397 is below 2^24
    const ModelMaker maker = modelOf([&](ModelMaker &made) {
      constant(made, "factor", factor);
      constant(made, "axis", 1);
      made.node("Mul", {"tokens", "factor"}, "large");
      made.node("CumSum", {"large", "axis"}, "number");
    });
    EXPECT_EQ(errorOf(maker), factor == 8397
                                  ? ""
                                  : "node \"/number\" (CumSum): is computed in f32, and must be from "
                                    "-2^24 to 2^24 where it depends on data, and can be from 0 to "
                                    "16779204");
  }
}

} // namespace
