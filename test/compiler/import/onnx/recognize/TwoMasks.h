// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TwoMasks.h - attention with two masks, spelt by hand ==================//
//
// Duty: makes models of attention over 4 tokens in 2 heads of 3, whose scores have a causal mask and another
// mask that depends on data. Threads: one per model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/compiler/import/onnx/ModelMaker.h"

namespace windlass::test {

/// Adds an initializer of 4 x 4 truth values, true for keys up to the query.
inline void addTriangle(ModelMaker &maker) {
  onnx::wire::Tensor &tensor = maker.weight("onnx::triangle", {4, 4}, {});
  tensor.set_data_type(static_cast<int>(onnx::DataType::Bool));
  std::string bytes;
  for (int at = 0; at < 16; ++at)
    bytes += at % 4 <= at / 4 ? '\1' : '\0';
  tensor.set_raw_data(bytes);
}

inline void addNumber(ModelMaker &maker, const std::string &name, float number) {
  onnx::wire::Attribute &value = addAttribute(maker.node("Constant", {}, name), "value_float", 1);
  value.set_f(number);
}

/// The mask that depends on data. A number hides a key.
enum class Second {
  Truths,   ///< truth values choose the number, for padding and for later keys
  Numbers,  ///< truth values choose the number for padding, else a triangle of the number
  Before,   ///< truth values replace scores by the number before the causal mask is added
  NotCausal ///< truth values choose the number for padding alone
};

struct TwoMasks {
  float never; ///< stands for the scores of later keys
  float hides; ///< the number of the second mask
  Second second;
  bool isSpelt = false; ///< probabilities are multiplied by 1, so that no attention is recognised
};

/// Adds both masks to "scores"; the result is "masked". A key of an example is no padding if "seen" is above
/// 0.
inline void addMasks(ModelMaker &maker, const TwoMasks &masks) {
  addTriangle(maker);
  addNumber(maker, "never", masks.never);
  addNumber(maker, "hides", masks.hides);
  addNumber(maker, "zero", 0);
  maker.node("Greater", {"seen", "zero"}, "sees");
  maker.node("And", {"onnx::triangle", "sees"}, "seesEarlier");
  if (masks.second == Second::Before) {
    maker.node("Where", {"onnx::triangle", "zero", "never"}, "causal");
    maker.node("Where", {"seesEarlier", "scores", "hides"}, "chosen");
    maker.node("Add", {"chosen", "causal"}, "masked");
    return;
  }
  maker.node("Where", {"onnx::triangle", "scores", "never"}, "chosen");
  maker.node("Where", {"onnx::triangle", "zero", "hides"}, "triangle");
  if (masks.second == Second::Numbers)
    maker.node("Where", {"sees", "triangle", "hides"}, "added");
  else
    maker.node("Where", {masks.second == Second::Truths ? "seesEarlier" : "sees", "zero", "hides"}, "added");
  maker.node("Add", {"chosen", "added"}, "masked");
}

/// Queries, keys, values and the result are multiplied by parameters, and the loss is the sum of all.
inline ModelMaker twoMasksModel(const TwoMasks &masks) {
  ModelMaker maker;
  const std::vector<int64_t> rows = {2, 4, 3}, columns = {2, 3, 4};
  for (const std::string name : {"q", "k", "v"}) {
    const std::vector<int64_t> &shape = name == "k" ? columns : rows;
    maker.input(name, {-1, shape[0], shape[1], shape[2]});
    maker.weight(name + ".weight", shape, std::vector<float>(24, 0.5F));
    maker.node("Mul", {name, name + ".weight"}, name + "Scaled");
  }
  maker.input("seen", {-1, 1, 1, 4});
  maker.weight("out.weight", rows, std::vector<float>(24, 0.5F));
  maker.node("MatMul", {"qScaled", "kScaled"}, "scores");
  addMasks(maker, masks);
  setAttribute(maker.node("Softmax", {"masked"}, "p"), "axis", int64_t(-1));
  if (masks.isSpelt) {
    maker.weight("one.weight", {1}, {1});
    maker.node("Mul", {"p", "one.weight"}, "kept");
  }
  maker.node("MatMul", {masks.isSpelt ? "kept" : "p", "vScaled"}, "mixed");
  maker.node("Mul", {"mixed", "out.weight"}, "y");
  maker.loss("ReduceSum", "y");
  return maker;
}

} // namespace windlass::test
