// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/CheckFolding.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/graph/Uses.h"
#include <algorithm>
#include <map>
#include <set>

namespace windlass::onnx {
namespace {

using Words = std::set<std::string_view>;

const Words kCopies = {"_to_copy", "alias", "clone", "contiguous", "detach"};
const Words kTurns = {"moveaxis", "movedim", "numpy_t", "permute", "swapaxes", "swapdims", "t", "transpose"};
const Words kLookups = {"embedding", "gather", "index", "index_select", "take", "take_along_dim"};
/// Operations that keep elements, and their order.
const Words kMoves = {"_unsafe_view", "broadcast_to", "chunk",   "expand", "flatten",   "getitem",
                      "narrow",       "repeat",       "reshape", "select", "slice",     "split",
                      "squeeze",      "tile",         "unbind",  "view",   "unflatten", "unsqueeze"};
/// Operations that take some of the elements.
const Words kParts = {"chunk", "getitem", "narrow", "select", "slice", "split", "split_with_sizes", "unbind"};
/// Reshapes. If no shape was computed for one, it did not change the shape.
const Words kReshapes = {"_unsafe_view", "flatten", "reshape", "unflatten", "view"};
/// Operations that make tensors from sizes and numbers, not from parameters.
const Words kMade = {"arange", "full",          "lift_fresh_copy",
                     "ones",   "scalar_tensor", "scalar_tensor_default",
                     "zeros",  "sym_size_int",  "sym_size"};
/// Operations on real numbers, unlikely on indices of a table.
const Words kOfNumbers = {"cos",      "erf",   "exp",  "gelu",    "layer_norm", "linalg_vector_norm",
                          "mean",     "rsqrt", "silu", "sigmoid", "sin",        "softmax",
                          "softplus", "sqrt",  "std",  "tanh",    "var",        "reciprocal"};

/// The operations from a parameter to the value that an optimiser computed from it, in order.
std::vector<std::string_view> operationsOf(const Value &value) {
  std::vector<std::string_view> operations;
  for (const std::string &name : value.weight->foldedThrough)
    if (name.find('.') == std::string::npos) // names with a dot are buffers
      operations.push_back(operationOf(name));
  return operations;
}

/// The operation on a parameter that cannot be undone, as "exp of "; empty: none. With a look-up, other
/// operations may have been on the indices, and only those on real numbers count.
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

/// Whether the first rows were looked up in order: the indices are counted by the module, or come from a
/// buffer.
bool areFirstRows(const Value &value) {
  static const Words counted = {"arange",    "full", "full_like", "new_full", "new_ones",
                                "new_zeros", "ones", "ones_like", "zeros",    "zeros_like"};
  return std::ranges::any_of(value.weight->foldedThrough, [](const std::string &name) {
    return counted.contains(operationOf(name)) || isBufferName(name) || name.find('.') != std::string::npos;
  });
}

/// The way in which looked-up rows differ from the first rows of a table, as a text. Empty: they are these
/// rows, perhaps with leading dimensions of 1.
std::string viewOfRows(const Value &value) {
  if (!areFirstRows(value))
    return "rows in an order that is not said, of ";
  const std::string last(operationsOf(value).back());
  const Shape &shape = value.shape;
  const bool areRows = shape.size() < 3 || elementsOf(shape) == shape.back() * shape[shape.size() - 2];
  return kReshapes.contains(last) && !areRows ? "another shape (" + last + ") of rows of " : "";
}

/// The part or the shape that was made of a parameter, as a text: the file does not have the original shape.
/// Empty: none.
std::string viewOf(const Value &value) {
  if (isLookedUp(value))
    return viewOfRows(value);
  if (shapeBeforeUnsqueeze(value))
    return "";
  if (value.shape.size() == 1 && isRepeated(value))
    return "copies of ";
  const std::vector<std::string_view> operations = operationsOf(value);
  const bool isShapeComputed =
      std::ranges::count(operations, "val") > 0; // otherwise the parameter has the shape
  for (std::string_view operation : operations) {
    if (kParts.contains(operation))
      return "a part (" + std::string(operation) + ") of ";
    if ((kReshapes.contains(operation) && isShapeComputed) || operation == "squeeze" ||
        operation == "unsqueeze")
      return "another shape (" + std::string(operation) + ") of ";
  }
  return "";
}

/// Whether a value is a matrix of the module or its transpose. Equal ones become one parameter
/// (TieWeights.h).
bool mayBeTied(const Value &value) {
  const std::vector<std::string_view> operations = operationsOf(value);
  return value.shape.size() == 2 && std::ranges::all_of(operations, [](std::string_view operation) {
           return operation == "val" || kCopies.contains(operation) || kTurns.contains(operation);
         });
}

/// By value: the computation within a PyTorch call on a parameter alone, which is lost. A reshape does not
/// count.
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

bool isMove(std::string_view operation) {
  return operation == "val" || kCopies.contains(operation) || kMoves.contains(operation) ||
         kLookups.contains(operation) || kTurns.contains(operation);
}

bool isMade(std::string_view operation) { return kMade.contains(operation); }

bool isOperation(const std::string &name) {
  static const Words others = {"add", "alias", "cumsum", "div", "masked_fill", "matmul", "mul",  "neg",
                               "pow", "rsub",  "sub",    "sum", "tril",        "triu",   "where"};
  const std::string_view operation = operationOf(name);
  return isMove(operation) || isMade(operation) || kOfNumbers.contains(operation) ||
         others.contains(operation);
}

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

bool isRepeated(const Value &value) {
  static const Words repeats = {"broadcast_to", "expand", "repeat", "tile"};
  const std::vector<std::string_view> operations = operationsOf(value);
  return std::ranges::count(operations, "val") > 0 && // otherwise it had this size before
         std::ranges::any_of(operations, [](auto operation) { return repeats.contains(operation); });
}

bool isTurned(const Value &value) {
  const std::vector<std::string_view> operations = operationsOf(value);
  return value.shape.size() == 2 &&
         std::ranges::count_if(operations, [](auto operation) { return kTurns.contains(operation); }) == 1 &&
         std::ranges::all_of(operations, [](auto operation) {
           return kTurns.contains(operation) || kCopies.contains(operation);
         });
}

std::optional<Shape> shapeBeforeUnsqueeze(const Value &value) {
  const std::string_view word = "unsqueeze";
  const std::vector<std::string_view> operations = operationsOf(value);
  const auto added = std::ranges::count(operations, word);
  const bool isPlain = std::ranges::all_of(operations, [&](std::string_view operation) {
    return operation == word || operation == "val" || kCopies.contains(operation);
  });
  const auto ones = std::ranges::count(value.shape, 1);
  if (added == 0 || operations.back() != word || !isPlain || ones < added)
    return std::nullopt;
  const auto first = std::ranges::find(value.shape, 1);
  const bool areAdjacent =
      std::ranges::all_of(first, first + ones, [](int64_t extent) { return extent == 1; });
  if (ones > added && !areAdjacent)
    return std::nullopt;
  Shape shape = value.shape;
  for (auto left = added; left > 0; --left)
    shape.erase(std::ranges::find(shape, 1));
  return shape;
}

Status checkFolding(const Graph &graph) {
  const Uses uses = usesOf(graph);
  std::map<std::string, int> tensors; // the number of tensors with the parameter or computed from it
  for (const auto &[id, readers] : uses)
    if (const Value &value = graph.at(id); value.weight)
      ++tensors[value.weight->foldedFrom.empty() ? value.name : value.weight->foldedFrom];
  const std::map<ValueId, std::string> withinCalls = lossesWithinCalls(graph);
  std::string lost;
  for (const auto &[id, readers] : uses) {
    const Value &value = graph.at(id);
    if (!value.weight || !isFloat(value.type))
      continue;
    const std::string &source = value.weight->foldedFrom, &sources = value.weight->mixedFrom;
    const bool isOfModule = std::ranges::count(graph.moduleParameters, source) > 0;
    const auto within = withinCalls.find(id);
    std::string loss = !isOfModule ? "" : within != withinCalls.end() ? within->second : lossOf(value);
    // The shape that was computed within a call may be of views of data.
    const bool isMadeWithinCalls =
        std::ranges::all_of(readers, [&](const Use &use) { return graph.isGiven(*use.node, source); });
    if (isOfModule && loss.empty() && !isMadeWithinCalls)
      loss = viewOf(value);
    if (isOfModule && loss.empty() && tensors[source] > 1 && !mayBeTied(value))
      loss = "one of several made of ";
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
