#include "compiler/import/onnx/CheckFolding.h"

#include "compiler/import/onnx/Names.h"
#include <algorithm>
#include <map>
#include <set>

namespace windlass::onnx {
namespace {

using Words = std::set<std::string_view>;

const Words kCopies = {"_to_copy", "alias", "clone", "contiguous", "detach"};
const Words kTurns = {"moveaxis", "movedim", "numpy_t", "permute", "swapaxes", "swapdims", "t", "transpose"};
const Words kLookups = {"embedding", "gather", "index", "index_select", "take", "take_along_dim"};
/// What leaves elements as they are, and in their order.
const Words kMoves = {"_unsafe_view", "broadcast_to", "chunk",   "expand", "flatten",   "getitem",
                      "narrow",       "repeat",       "reshape", "select", "slice",     "split",
                      "squeeze",      "tile",         "unbind",  "view",   "unflatten", "unsqueeze"};
/// What is made of no parameter: sizes and places.
const Words kMade = {"arange", "full",          "lift_fresh_copy",
                     "ones",   "scalar_tensor", "scalar_tensor_default",
                     "zeros",  "sym_size_int",  "sym_size"};
/// What is computed of numbers, and hardly of places in a table.
const Words kOfNumbers = {"cos",      "erf",   "exp",  "gelu",    "layer_norm", "linalg_vector_norm",
                          "mean",     "rsqrt", "silu", "sigmoid", "sin",        "softmax",
                          "softplus", "sqrt",  "std",  "tanh",    "var",        "reciprocal"};

/// The operations between a parameter and what an optimiser made of it, that which made it last.
std::vector<std::string_view> operationsOf(const Value &value) {
  std::vector<std::string_view> operations;
  for (const std::string &name : value.weight->foldedThrough)
    if (name.find('.') == std::string::npos) // else a buffer
      operations.push_back(operationOf(name));
  return operations;
}

bool isMove(std::string_view operation) {
  return operation == "val" || kCopies.contains(operation) || kMoves.contains(operation) ||
         kLookups.contains(operation) || kTurns.contains(operation);
}

/// What was done to a parameter that cannot be undone: "exp of". Empty: nothing. What lies between a lookup
/// and its table may as well be computed of the places that are looked up.
std::string lossOf(const Value &value) {
  const std::vector<std::string_view> operations = operationsOf(value);
  if (operations.empty())
    return "";
  auto first = [&](auto is) {
    const auto found = std::ranges::find_if(operations, is);
    return found == operations.end() ? std::string() : std::string(*found) + " of ";
  };
  const bool isLookup = isLookedUp(value);
  if (!isMove(operations.back()))
    return std::string(operations.back()) + " of ";
  const std::string computed = first([&](std::string_view operation) {
    return isLookup ? kOfNumbers.contains(operation) : !isMove(operation) && !kMade.contains(operation);
  });
  if (!computed.empty() || isTurned(value))
    return computed;
  const std::string turned = first([](std::string_view operation) { return kTurns.contains(operation); });
  return turned.empty() || !isLookup ? turned : turned + "rows of ";
}

/// What calls of PyTorch compute of a parameter before they meet data. An operand that is only reshaped
/// there is none of these.
std::map<ValueId, std::string> lossesWithinCalls(const Graph &graph) {
  std::map<ValueId, std::string> losses;
  for (const auto &node : graph.nodes) {
    const bool isScaled = node->call.isOf("aten.scaled_dot_product_attention") ||
                          std::ranges::any_of(node->call.keywords, [](const std::string &keyword) {
                            return keyword.starts_with("alpha: ");
                          });
    for (ValueId id : isScaled ? node->inputs : std::vector<ValueId>())
      if (id != kAbsent && graph.at(id).weight && operationOf(graph.at(id).name) == "val" &&
          graph.at(id).weight->isFoldedWithOthers && elementsOf(graph.at(id).shape) > 1)
        losses[id] = "a multiple of ";
  }
  return losses;
}

} // namespace

std::string doubtOf(const Value &value) {
  static const Words sums = {"add", "sub", "cumsum"};
  const std::vector<std::string_view> operations = operationsOf(value);
  const auto found = std::ranges::find_if(operations, [](std::string_view operation) {
    return !isMove(operation) && !kMade.contains(operation) && !sums.contains(operation);
  });
  return isLookedUp(value) && found != operations.end() ? std::string(*found) : "";
}

bool isLookedUp(const Value &value) {
  return std::ranges::any_of(operationsOf(value),
                             [](std::string_view operation) { return kLookups.contains(operation); });
}

bool isTurned(const Value &value) {
  const std::vector<std::string_view> operations = operationsOf(value);
  return value.shape.size() == 2 &&
         std::ranges::count_if(operations, [](auto operation) { return kTurns.contains(operation); }) == 1 &&
         std::ranges::all_of(operations, [](auto operation) {
           return kTurns.contains(operation) || kCopies.contains(operation);
         });
}

Status checkFolding(const Graph &graph) {
  std::set<ValueId> read;
  for (const auto &node : graph.nodes)
    read.insert(node->inputs.begin(), node->inputs.end());
  read.erase(kAbsent);
  const std::map<ValueId, std::string> withinCalls = lossesWithinCalls(graph);
  std::string lost;
  for (ValueId id : read) {
    const Value &value = graph.at(id);
    if (!value.weight || !isFloat(value.type))
      continue;
    const std::string &source = value.weight->foldedFrom, &sources = value.weight->mixedFrom;
    const bool isOfModule = std::ranges::count(graph.moduleParameters, source) > 0;
    const auto within = withinCalls.find(id);
    const std::string loss = !isOfModule ? "" : within != withinCalls.end() ? within->second : lossOf(value);
    if (!sources.empty())
      lost += "\n  \"" + value.name + "\", of " + sources;
    else if (!loss.empty())
      lost += "\n  \"" + value.name + "\", " + loss + source;
  }
  return lost.empty() ? Status::ok()
                      : Status::badInput("parameters of which only what was computed from them is left, and "
                                         "cannot be trained; export with optimize=False:" +
                                         lost);
}

} // namespace windlass::onnx
