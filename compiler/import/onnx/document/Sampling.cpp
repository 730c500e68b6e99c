// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/document/Sampling.h"

#include <string>

namespace windlass::onnx {
namespace {

using nlohmann::json;

constexpr const char *kLogits = "logits"; ///< the value that a run samples from

/// Replaces sizes that are n * batch here and n * (batch + 1) in `other` by "n*B". False if the two values
/// differ in anything else.
bool replaceSizes(json &value, const json &other, int64_t batch, bool isSize) {
  if (value == other)
    return true;
  if (isSize && value.is_number_integer() && other.is_number_integer()) {
    const int64_t own = value.get<int64_t>(), times = own / batch;
    value = times == 1 ? "B" : std::to_string(times) + "*B";
    return own == times * batch && other.get<int64_t>() == times * (batch + 1);
  }
  bool isAll = value.type() == other.type() && value.size() == other.size() && value.is_structured();
  if (isAll && value.is_array())
    for (size_t i = 0; isAll && i < value.size(); ++i)
      isAll = replaceSizes(value[i], other[i], batch, isSize);
  else if (isAll)
    for (auto &[key, item] : value.items())
      isAll = isAll && other.contains(key) &&
              replaceSizes(item, other[key], batch, key == "shape" || key == "batch");
  return isAll;
}

/// The operation that makes a value; null for an input or a parameter.
const json *producerOf(const json &document, const std::string &name) {
  for (const json &op : document["ops"])
    if (op["out"] == name)
      return &op;
  return nullptr;
}

/// The scores of all tokens: if the graph cuts off the scores of the last token, which has no next one, the
/// scores before the cut.
std::string scoresOfAll(const json &document, const std::string &scores) {
  const json *op = producerOf(document, scores);
  while (op && op->at("op") == "reshape")
    op = producerOf(document, op->at("in")[0]);
  const bool isPrefix = op && op->at("op") == "slice" && op->at("dims") == json::array({1}) &&
                        op->at("starts") == json::array({0});
  return isPrefix ? op->at("in")[0].get<std::string>() : scores;
}

/// The scores that the loss is taken of.
std::string scoresOf(const json &document) {
  for (const json &op : document["ops"])
    if (op["op"] == "cross_entropy")
      return scoresOfAll(document, op["in"][0]);
  return "";
}

/// Renames a value to kLogits, the name under which a run reads it. False if another value has that name.
bool rename(json &document, const std::string &name) {
  for (const json &op : document["ops"])
    if (op["out"] == kLogits)
      return name == kLogits;
  for (json &op : document["ops"]) {
    if (op.contains("in"))
      for (json &in : op["in"])
        in = in == name ? json(kLogits) : in;
    if (op["out"] == name)
      op["out"] = kLogits;
  }
  return true;
}

} // namespace

bool isCausalLanguageModel(const json &document) {
  int64_t attentions = 0;
  json tokens, labels; // shapes; there must be one input of each role, and no others
  for (const auto &[name, input] : document["inputs"].items()) {
    if (input["role"] == "tokens")
      tokens = input["shape"];
    if (input["role"] == "labels")
      labels = input["shape"];
  }
  for (const json &op : document["ops"])
    if (op["op"] == "attention") {
      if (!op["causal"])
        return false;
      ++attentions;
    }
  return !tokens.is_null() && tokens == labels && document["inputs"].size() == 2 && attentions > 0;
}

void addSampling(json &document, const json &other, int64_t batch) {
  json sampled = document;
  if ((batch == 1 || replaceSizes(sampled, other, batch, false)) && rename(sampled, scoresOf(sampled))) {
    sampled["outputs"] = {kLogits};
    document = std::move(sampled);
  }
}

} // namespace windlass::onnx
