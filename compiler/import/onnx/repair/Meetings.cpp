// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Meetings.h"

#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

/// Operators that combine their inputs element by element.
bool combines(const Node &node) {
  static const std::set<std::string_view> ops = {"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max"};
  return node.domain.empty() && ops.contains(node.op);
}

/// Whether each element of the result is an element of the first input, or a function of one.
bool handsOn(const Node &node) {
  static const std::set<std::string_view> ops = {"Abs",      "Cast", "Exp",     "Expand",     "Flatten",
                                                 "Identity", "Log",  "Neg",     "Reciprocal", "Reshape",
                                                 "Sigmoid",  "Sqrt", "Squeeze", "Transpose",  "Unsqueeze"};
  return node.domain.empty() && ops.contains(node.op);
}

} // namespace

bool readsWeight(const Node &node, size_t input) {
  static const std::map<std::string_view, std::pair<size_t, size_t>> weights = {
      {"MatMul", {0, 1}},
      {"Gemm", {1, 2}},
      {"Conv", {1, 2}},
      {"ConvTranspose", {1, 2}},
      {"Gather", {0, 0}},
      {"LayerNormalization", {1, 2}},
      {"RMSNormalization", {1, 1}},
      {"BatchNormalization", {1, 2}},
      {"GroupNormalization", {1, 2}}};
  auto found = weights.find(node.op);
  return found != weights.end() && input >= found->second.first && input <= found->second.second;
}

Meetings::Meetings(const Graph &graph, const Uses &uses)
    : graph(graph), uses(uses), isFeature(graph.values.size()), origins(graph.values.size()) {
  findFeatures();
  followInputs();
}

bool Meetings::appliesWeight(const Node &node, size_t input) const {
  ValueId id = readsWeight(node, input) ? node.inputs[input] : kAbsent;
  for (const Node *turn; id != kAbsent && (turn = graph.at(id).producer) && handsOn(*turn);)
    id = turn->inputs[0];
  return id != kAbsent && graph.at(id).weight && isFloat(graph.at(id).type);
}

void Meetings::findFeatures() {
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto &inputs = (*node)->inputs;
    bool isRead = std::ranges::any_of(
        (*node)->outputs, [&](ValueId id) { return id != kAbsent && isFeature[static_cast<size_t>(id)]; });
    for (size_t i = 0; i < inputs.size(); ++i)
      isRead |= appliesWeight(**node, i);
    for (ValueId id : isRead ? inputs : std::vector<ValueId>())
      if (id != kAbsent)
        isFeature[static_cast<size_t>(id)] = true;
  }
}

void Meetings::followInputs() {
  for (const Input &input : graph.inputs) {
    const auto place = static_cast<size_t>(input.value);
    origins[place] = {false, true, !isFeature[place]};
  }
  for (const auto &node : graph.nodes) {
    Origin origin;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const ValueId id = node->inputs[i];
      if (id == kAbsent)
        continue;
      const Origin &of = origins[static_cast<size_t>(id)];
      origin.isLearned |= of.isLearned || appliesWeight(*node, i);
      origin.isData |= of.isData;
      origin.isLabel |= of.isLabel;
    }
    for (ValueId id : node->outputs)
      if (id != kAbsent)
        origins[static_cast<size_t>(id)] = origin;
  }
}

Meeting Meetings::meetAt(const Use &use, int depth) const {
  const Node &node = *use.node;
  Origin others;
  if (combines(node))
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (i != use.input && node.inputs[i] != kAbsent) {
        const Origin &of = origins[static_cast<size_t>(node.inputs[i])];
        others.isLearned |= of.isLearned;
        others.isData |= of.isData;
        others.isLabel |= of.isLabel;
      }
  if (others.isLearned)
    return others.isLabel ? Meeting::Loss : Meeting::Layers;
  if (others.isData)
    return Meeting::Data;
  const bool goesOn = combines(node) || (handsOn(node) && use.input == 0);
  return goesOn && node.outputs.size() == 1 ? meet(node.outputs[0], depth + 1) : Meeting::Layers;
}

Meeting Meetings::meet(ValueId id, int depth) const {
  constexpr int kDeepest = 12;
  auto found = uses.find(id);
  if (found == uses.end() || depth > kDeepest)
    return Meeting::Layers;
  Meeting all = Meeting::Data;
  for (const Use &use : found->second) {
    const Meeting here = meetAt(use, depth);
    if (here == Meeting::Layers)
      return here;
    if (here == Meeting::Loss)
      all = here;
  }
  return all;
}

Meeting Meetings::of(ValueId weight) const {
  if (const Meeting meeting = meet(weight, 0); meeting != Meeting::Layers)
    return meeting;
  auto found = uses.find(weight);
  const bool divides = found != uses.end() && elementsOf(graph.at(weight).shape) == 1 &&
                       std::ranges::all_of(found->second, [](const Use &use) {
                         return use.node->is("Div") && use.input == 1;
                       });
  return divides ? Meeting::Quotient : Meeting::Layers;
}

} // namespace windlass::onnx
