// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/IgnoredLabels.h"

#include "compiler/import/graphjson/GraphJsonBlocks.h"
#include "compiler/import/graphjson/GraphJsonOps.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <vector>

namespace windlass {
namespace {

using Names = llvm::SmallVector<std::string>;
using InputNames = std::map<std::string, std::string>; ///< of inputs, by the names of values

bool isOp(JsonReader &op, std::string_view name) {
  return op.has("op") && op.at("op").isText() && op.at("op").text() == name;
}

/// A cross-entropy whose labels are those of an input.
struct CrossEntropy {
  JsonReader place;
  std::string input;
  size_t index;   ///< among the operations of the model: its own, or that of the call of its block
  bool isInBlock; ///< an operation of a block reads no inputs, but values that the block is given

  std::optional<int64_t> named() {
    if (!place.has("ignore_index"))
      return std::nullopt;
    return place.at("ignore_index").integer(INT32_MIN, INT32_MAX);
  }
};

/// Finds the cross-entropies of the inputs' labels, and what their results come to.
class LossReader {
public:
  LossReader(JsonReader &top, const IgnoredLabels &ignored) : top(top), ops(top.at("ops")) {
    InputNames inputs;
    for (const auto &[name, label] : ignored)
      inputs[name] = name;
    for (size_t i = 0; i < ops.size() && top.isOk(); ++i) {
      JsonReader op = ops.at(i);
      if (Repeat::isAt(op))
        findInBlock(op, i, inputs);
      else
        find(op, i, /*isInBlock=*/false, inputs);
    }
  }

  /// Whether the whole loss holds the result as it is. Otherwise means over numbers of their own divide it.
  bool isUndivided(const CrossEntropy &loss) {
    const Names own = loss.isInBlock ? namesAt(ops.at(loss.index), "carry") : namesAt(loss.place, "out");
    std::set<std::string> reached(own.begin(), own.end());
    for (size_t i = loss.index + 1; i < ops.size() && top.isOk(); ++i) {
      JsonReader op = ops.at(i);
      const bool isRepeat = Repeat::isAt(op);
      const Names reads = isRepeat ? given(op) : namesAt(op, "in");
      const bool isReader =
          llvm::any_of(reads, [&](const std::string &name) { return reached.contains(name); });
      if (!isReader || isMeanOfItsOwn(op, loss.input))
        continue;
      const Names writes = namesAt(op, isRepeat ? "carry" : "out");
      reached.insert(writes.begin(), writes.end());
    }
    return top.has("loss") && reached.contains(top.at("loss").text());
  }

  std::vector<CrossEntropy> found;

private:
  void find(JsonReader op, size_t index, bool isInBlock, InputNames &inputs) {
    const bool isReshape = isOp(op, "reshape"), isCrossEntropy = isOp(op, "cross_entropy");
    if (!isReshape && !isCrossEntropy)
      return;
    const Names in = namesAt(op, "in"), out = namesAt(op, "out");
    const size_t labels = isReshape ? 0 : 1;
    const auto input = labels < in.size() ? inputs.find(in[labels]) : inputs.end();
    if (input == inputs.end())
      return;
    if (isReshape && out.size() == 1)
      inputs[out[0]] = input->second;
    if (isCrossEntropy)
      found.push_back({op, input->second, index, isInBlock});
  }

  void findInBlock(JsonReader repeat, size_t index, const InputNames &outside) {
    JsonReader name = repeat.at("block");
    if (!top.has("blocks") || !name.isText() || !top.at("blocks").has(name.text()))
      return;
    JsonReader block = top.at("blocks").at(name.text());
    InputNames inputs;
    for (const auto &[inner, outer] : llvm::zip(namesAt(block, "in"), given(repeat)))
      if (const auto input = outside.find(outer); input != outside.end())
        inputs[inner] = input->second;
    if (inputs.empty() || !block.has("ops"))
      return;
    JsonReader parts = block.at("ops");
    for (size_t i = 0; i < parts.size() && top.isOk(); ++i)
      find(parts.at(i), index, /*isInBlock=*/true, inputs);
  }

  /// The values that a block is given.
  static Names given(JsonReader repeat) {
    Names names = namesAt(repeat, "carry");
    llvm::append_range(names, namesAt(repeat, "with"));
    return names;
  }

  /// Whether an operation is a mean over another number than that of the labels that `input` does not ignore.
  static bool isMeanOfItsOwn(JsonReader op, const std::string &input) {
    if (!isOp(op, "mean_over"))
      return false;
    const Names in = namesAt(op, "in");
    return in.size() < 2 || in[1] != input || op.has("ignored");
  }

  JsonReader &top;
  JsonReader ops;
};

/// Takes for each input that names no label the one that its cross-entropies name, if it is one. Beside
/// others that name none, those count whose results the whole loss holds as they are.
void takeNamed(LossReader &reader, IgnoredLabels &ignored) {
  std::set<std::string> unnamed;
  for (CrossEntropy &loss : reader.found)
    if (!loss.named())
      unnamed.insert(loss.input);
  std::map<std::string, std::set<int64_t>> named;
  for (CrossEntropy &loss : reader.found)
    if (std::optional<int64_t> label = loss.named();
        label && !ignored.at(loss.input) && (!unnamed.contains(loss.input) || reader.isUndivided(loss)))
      named[loss.input].insert(*label);
  for (const auto &[input, labels] : named)
    if (labels.size() == 1)
      ignored[input] = *labels.begin();
}

} // namespace

void settleIgnoredLabels(JsonReader &top, IgnoredLabels &ignored) {
  LossReader reader(top, ignored);
  takeNamed(reader, ignored);
  for (CrossEntropy &loss : reader.found) {
    const int64_t ofInput = ignored.at(loss.input).value_or(graph::kIgnoredLabel);
    std::optional<int64_t> label = loss.named();
    if (!label && loss.isInBlock)
      label = graph::kIgnoredLabel;
    if (!label || *label == ofInput || !top.isOk() || !reader.isUndivided(loss))
      continue;
    const std::string expected =
        std::to_string(ofInput) + ", the label that its input \"" + loss.input + "\" ignores";
    if (loss.place.has("ignore_index"))
      loss.place.at("ignore_index").failRule("must be " + expected);
    else
      loss.place.fail("needs \"ignore_index\" " + expected + ": without the key a block ignores " +
                      std::to_string(*label));
  }
}

} // namespace windlass
