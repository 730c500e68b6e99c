// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/GivenParameters.h"

#include "compiler/import/onnx/repair/Meetings.h"
#include "compiler/import/onnx/repair/NormCalls.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

void addNames(const std::string &text, std::vector<std::string> &names) {
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    names.push_back(text.substr(at + 1, end - at - 1));
  }
}

/// The positions of a layer's weight and bias among the arguments of a call.
struct Places {
  size_t weight, bias;
};

const Places *placesOf(const TorchCall &call) {
  static const std::pair<std::string_view, Places> all[] = {
      {"aten.linear", {1, 2}}, {"aten.conv1d", {1, 2}},           {"aten.conv2d", {1, 2}},
      {"aten.conv3d", {1, 2}}, {"aten.convolution", {1, 2}},      {"aten.conv_transpose1d", {1, 2}},
      {"aten.addmm", {2, 0}},  {"aten.conv_transpose2d", {1, 2}}, {"aten.conv_transpose3d", {1, 2}},
      {"aten.baddbmm", {2, 0}}};
  const auto *found = std::ranges::find_if(all, [&](const auto &entry) { return call.isOf(entry.first); });
  return found == std::end(all) ? nullptr : &found->second;
}

/// The argument of a layer's call that a node reads here; empty if the call is of no layer, or if it is
/// unclear.
std::string operandOfLayer(const Use &use) {
  constexpr size_t kBias = 2;
  const Node &node = *use.node;
  const Places *places = placesOf(node.call);
  if (!places)
    return "";
  const bool isBias = node.is("Add") || (use.input == kBias && !node.is("MatMul"));
  const bool isWeight = !isBias && readsWeight(node, use.input);
  const size_t at = isBias ? places->bias : places->weight;
  return (isBias || isWeight) && at < node.call.arguments.size() ? node.call.arguments[at] : "";
}

} // namespace

std::vector<std::string> operandsOf(const TorchCall &call) {
  std::vector<std::string> names;
  for (const auto *list : {&call.arguments, &call.keywords})
    for (const std::string &text : *list)
      addNames(text, names);
  return names;
}

std::string biasGiven(const Graph &graph, const Node &node) {
  const Places *places = placesOf(node.call);
  return places && places->bias < node.call.arguments.size()
             ? graph.parameterOf(node.call.arguments[places->bias])
             : "";
}

std::set<std::string> lostParameters(const Graph &graph) {
  std::set<std::string> lost(graph.moduleParameters.begin(), graph.moduleParameters.end());
  for (const Value &value : graph.values)
    if (value.weight) {
      lost.erase(value.name);
      lost.erase(value.weight->foldedFrom);
    }
  return lost;
}

std::string GivenParameters::at(const Use &use, const std::string &name) const {
  const TorchCall &call = use.node->call;
  for (const std::string &operand : {operandOfNorm(*use.node, use.input), operandOfLayer(use)})
    if (!operand.empty())
      return graph.parameterOf(
          operand); // empty for values computed before the call, such as the transposed "%t"
  std::vector<std::string> given;
  if (std::ranges::count(graph.moduleParameters, name) == 0)
    return ""; // a constant within the call
  for (const std::string &operand : operandsOf(call))
    if (const std::string parameter = graph.parameterOf("%" + operand);
        parameter == name || lost.contains(parameter))
      given.push_back(parameter);
  if (given.size() == 1)
    return given.front();
  // The operands of one operator have the order of the call's arguments.
  if (given.size() > 1 && use.input < call.arguments.size())
    if (const std::string parameter = graph.parameterOf(call.arguments[use.input]);
        std::ranges::count(given, parameter) > 0)
      return parameter;
  return std::ranges::count(given, name) > 0 ? name : "";
}

} // namespace windlass::onnx
