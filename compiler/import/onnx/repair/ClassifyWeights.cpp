// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/ClassifyWeights.h"

#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/graph/Uses.h"
#include "compiler/import/onnx/repair/BatchNorms.h"
#include "compiler/import/onnx/repair/CheckFolding.h"
#include "compiler/import/onnx/repair/Meetings.h"
#include "compiler/import/onnx/rewrite/FoldConstants.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

/// Names that modules give to what they train.
bool isParameterName(const std::string &name) {
  const std::string leaf = leafOfName(name);
  constexpr std::string_view words[] = {"weight", "bias",  "gamma", "beta",
                                        "scale",  "embed", "token", "param"};
  return !isBufferName(name) && std::ranges::any_of(words, [&](std::string_view word) {
    return leaf.find(word) != std::string::npos;
  });
}

bool isWeightOf(const Use &use) { return readsWeight(*use.node, use.input); }

bool isOfGroupNorm(const Graph &graph, const std::vector<Use> &readers) {
  return std::ranges::any_of(readers, [&](const Use &use) { return !leafOfGroupNorm(graph, use).empty(); });
}

/// Whether a PReLU reads the value as its slopes, of which the module has one per channel.
bool isSlope(const Use &use) { return use.node->is("PRelu") && use.input == 1; }

bool isOfRowNorm(const Use &use) {
  return use.node->is("LayerNormalization") || use.node->is("RMSNormalization");
}

/// Whether a loss reads this input as the weights of classes, which PyTorch never trains.
bool isClassWeight(const Use &use) {
  return (use.node->is("SoftmaxCrossEntropyLoss") || use.node->is("NegativeLogLikelihoodLoss")) &&
         use.input == 2;
}

/// Whether TorchScript's exporter computed the tensor: it names such a tensor after its reader,
/// "onnx::MatMul_12".
bool isOfScript(const Parameter &row) { return row.initializer.starts_with("onnx::"); }

/// Whether a tensor that TorchScript's exporter computed is read where the exporter does not transpose
/// parameters, so that it was computed from several parameters, or from a part of one. A convolution whose
/// weight and bias were both computed does not count: a batch norm was folded into it (BatchNorms.h).
bool isMoreThanTurned(const Graph &graph, const Use &use) {
  if (!isWeightOf(use) || use.node->is("MatMul"))
    return false;
  if (use.node->is("Gemm"))
    return use.input == 2 || use.node->integer("transB", 0) != 0;
  const std::vector<ValueId> &inputs = use.node->inputs;
  const bool isConvolution = use.node->is("Conv") || use.node->is("ConvTranspose");
  return !isConvolution || !use.node->has(2) || !isGenerated(graph.at(inputs[1]).name) ||
         !isGenerated(graph.at(inputs[2]).name);
}

class Classifier {
public:
  explicit Classifier(const Graph &graph)
      : graph(graph), uses(usesOf(graph)), meetings(graph, uses),
        isMarked(std::ranges::any_of(
            graph.values,
            [](const Value &value) { return value.weight && value.weight->mark == Mark::Parameter; })),
        isSigned(!graph.moduleParameters.empty()),
        isTraced(!isSigned && std::ranges::any_of(graph.nodes, [](const auto &node) {
          return node->name.starts_with("node_");
        })) {}

  std::vector<Parameter> run() {
    std::vector<Parameter> rows;
    for (const auto &[id, readers] : uses)
      if (graph.at(id).weight) {
        Parameter row;
        row.value = id;
        row.name = row.initializer = graph.at(id).name;
        if (const std::string &whole = graph.at(id).weight->splitFrom; isGenerated(whole) && !whole.empty())
          row.initializer = whole; // its name says how it was made
        row.trainable = false;
        decide(row, readers);
        rows.push_back(std::move(row));
      }
    return rows;
  }

private:
  static void say(Parameter &row, bool trainable, const char *why) {
    row.trainable = trainable;
    row.why = why;
  }

  bool isMadeUp(const std::string &name) const {
    return isGenerated(name) || (isTraced && isOperation(name));
  }

  void decide(Parameter &row, const std::vector<Use> &readers) const {
    const Value &value = graph.at(row.value);
    if (!isFloat(value.type))
      return say(row, false, "integers");
    const bool isStatistic = std::ranges::all_of(
        readers, [](const Use &use) { return use.node->is("BatchNormalization") && use.input >= 3; });
    if (isStatistic) {
      row.isStatistic =
          std::ranges::all_of(readers, [](const Use &use) { return isTrainingNorm(*use.node); });
      return say(row, false, row.isStatistic ? "running statistic, updated" : "running statistic");
    }
    switch (value.weight->mark) {
    case Mark::Parameter:
      return say(row, true,
                 value.weight->isLost ? "zeros that the exporter dropped" : "marked as a parameter");
    case Mark::Buffer:
      return say(row, false, "marked as a buffer");
    case Mark::Constant:
      return say(row, false, "marked as a constant");
    case Mark::OfPlainNorm:
      return say(row, false, "of a norm without parameters");
    case Mark::None:
      break;
    }
    if (value.weight->isOfNode) {
      row.isComputed = meetings.of(row.value) == Meeting::Layers;
      return say(row, false, "computed by a tool");
    }
    if (isListed(row.name))
      return say(row, true, "listed as a parameter");
    if (isBufferName(row.name))
      return say(row, false, "a buffer by its name");
    if (std::ranges::all_of(readers, isClassWeight))
      return say(row, false, "weights of classes");
    // TorchScript's exporter gives constants made-up names only.
    const bool isNamed =
        !isMadeUp(row.name) && (graph.numbersCalls || (isTraced && !scopeOfName(row.name).empty()));
    if (elementsOf(value.shape) <= 1 && (value.shape.empty() ? !isNamed : isMadeUp(row.name))) {
      row.isComputed = isTraced && !isMadeUp(row.name) && meetings.of(row.value) == Meeting::Layers;
      return say(row, false, "a number");
    }
    if (isTableOrMask(row.value, 0))
      return say(row, false, "read only through Cos, Sin and comparisons");
    if (const std::string &source = value.weight->foldedFrom; !source.empty()) {
      row.trainable = isSigned ? isListed(source) : isParameterName(source);
      row.why =
          "computed from " + source + (isSigned && !row.trainable ? ", no parameter of the module" : "");
      return;
    }
    // If parameters are marked, other names that seem to be given by people are those of operations: "cos".
    if (!isMadeUp(row.name) && !isMarked)
      return decideByUse(row);
    decideByOperator(row, readers);
  }

  /// Decides on a tensor with a made-up name, by the operators that read it.
  void decideByOperator(Parameter &row, const std::vector<Use> &readers) const {
    // Parameters of norms are marked; a norm without any (elementwise_affine=False) gets constants.
    if (isMarked && std::ranges::all_of(readers, isOfRowNorm))
      return say(row, false, "of a norm without parameters");
    if (std::ranges::any_of(readers, isWeightOf)) {
      row.isComputed = (isTraced && isOperation(row.name) && !isGenerated(row.name)) ||
                       (isOfScript(row) && std::ranges::any_of(readers, [&](const Use &use) {
                          return isMoreThanTurned(graph, use);
                        }));
      return say(row, true, "weight of an operator");
    }
    if (isOfGroupNorm(graph, readers))
      return say(row, true, "of a group norm");
    if (std::ranges::all_of(readers, isSlope))
      return say(row, true, "slopes");
    say(row, false, "constant of the exporter");
    // Tools that rewrite files drop the newer exporter's marks, and fold constants, too.
    const bool mayBeComputed =
        isOfScript(row) || (!isSigned && !isMarked && elementsOf(graph.at(row.value).shape) > 1);
    row.isComputed = mayBeComputed && meetings.of(row.value) == Meeting::Layers;
  }

  bool isListed(const std::string &name) const {
    return std::ranges::count(graph.moduleParameters, name) > 0;
  }

  /// Decides on a tensor with a name, in a file without marks, by its use.
  void decideByUse(Parameter &row) const {
    static const std::set<std::string> ofData = {"mean",      "std",        "var",      "pixel_mean",
                                                 "pixel_std", "image_mean", "image_std"};
    const Meeting meeting = meetings.of(row.value);
    const std::string leaf = leafOfName(row.name);
    const bool isBuffer = meeting == Meeting::Data   ? ofData.contains(leaf) || leaf == "pos_weight"
                          : meeting == Meeting::Loss ? leaf == "pos_weight"
                                                     : false;
    row.trainable = !isBuffer;
    row.mayBeBuffer = !isBuffer && meeting != Meeting::Layers;
    row.why = isBuffer ? "a buffer by its name" : "named";
    switch (meeting) {
    case Meeting::Data:
      row.why += ", meets data before any layer";
      break;
    case Meeting::Loss:
      row.why += ", read by the loss alone";
      break;
    case Meeting::Quotient:
      row.why += ", one number that divides";
      break;
    case Meeting::Layers:
      break;
    }
  }

  /// Whether a value is angles or a mask: every path from it goes through Cos, Sin or an operator without
  /// gradient, before it meets data.
  bool isTableOrMask(ValueId id, int depth) const {
    static const std::set<std::string_view> ends = {"Cos",  "Sin",     "Shape",       "Equal",
                                                    "Less", "Greater", "LessOrEqual", "GreaterOrEqual"};
    constexpr int kDeepest = 12;
    auto found = uses.find(id);
    if (found == uses.end() || depth > kDeepest)
      return false;
    return std::ranges::all_of(found->second, [&](const Use &use) {
      const bool isTruth =
          use.node->is("Cast") && use.node->integer("to", 0) == static_cast<int64_t>(DataType::Bool);
      if (isTruth || (use.node->domain.empty() && ends.contains(use.node->op)))
        return true;
      return use.node->outputs.size() == 1 && use.node->outputs[0] != kAbsent &&
             isTableOrMask(use.node->outputs[0], depth + 1);
    });
  }

  const Graph &graph;
  const Uses uses;
  const Meetings meetings;
  const bool isMarked; ///< the exporter marks parameters
  const bool isSigned; ///< the exporter lists all parameters
  const bool isTraced; ///< the newer exporter wrote the file, and a tool dropped its list
};

/// The module's name of a weight, from the scope of its reader and the place where it is read; empty if
/// unclear.
std::string moduleName(const Graph &graph, const std::vector<Use> &readers) {
  std::set<std::string> names;
  for (const Use &use : readers) {
    const bool isShift = use.input == 2;
    if (!use.node->scope.empty() && (isWeightOf(use) || isSlope(use)))
      names.insert(use.node->scope + (isShift ? ".bias" : ".weight"));
    else if (const std::string leaf = leafOfGroupNorm(graph, use); !leaf.empty())
      names.insert(use.node->scope + "." + leaf);
  }
  return names.size() == 1 && graph.find(*names.begin()) == kAbsent ? *names.begin() : "";
}

/// The value that is added to the product that reads a weight here; kAbsent if there is none, or not exactly
/// one.
ValueId biasOf(const Use &use, const Uses &uses) {
  constexpr size_t kBias = 2;
  if (use.input != 1)
    return kAbsent;
  if (use.node->is("Gemm"))
    return use.node->has(kBias) ? use.node->inputs[kBias] : kAbsent;
  auto found = uses.find(use.node->outputs[0]);
  if (!use.node->is("MatMul") || found == uses.end() || found->second.size() != 1)
    return kAbsent;
  const Use &next = found->second[0];
  return next.node->is("Add") ? next.node->inputs[1 - next.input] : kAbsent;
}

/// The name of a weight from that of its bias, which the exporter kept: "in_proj_weight" from "in_proj_bias".
/// Empty if there is no such bias.
std::string nameBesideBias(const Graph &graph, const std::vector<Use> &readers, const Uses &uses) {
  const std::string_view word = "bias";
  std::set<std::string> names;
  for (const Use &use : readers) {
    const ValueId bias = biasOf(use, uses);
    std::string name = bias == kAbsent || !graph.at(bias).weight ? "" : graph.at(bias).name;
    if (isGenerated(name) || !leafOfName(name).ends_with(word) ||
        !isWithin(scopeOfName(name), use.node->scope))
      return {};
    names.insert(name.replace(name.size() - word.size(), word.size(), "weight"));
  }
  return names.size() == 1 && graph.find(*names.begin()) == kAbsent ? *names.begin() : "";
}

/// The name of a table that is also the weight of a product: that of the embedding, as in checkpoints of tied
/// models. Empty if it does not apply.
std::string embeddingName(const Graph &graph, const Parameter &row, const std::vector<Use> &readers) {
  auto lookup =
      std::ranges::find_if(readers, [](const Use &use) { return use.node->is("Gather") && use.input == 0; });
  if (lookup == readers.end() || lookup->node->scope.empty())
    return {};
  const std::string name = lookup->node->scope + ".weight";
  const bool isItsOwn = ("." + row.name).ends_with("." + name);
  return !isItsOwn && leafOfName(row.name) == "weight" && graph.find(name) == kAbsent ? name : "";
}

/// Whether the exporter transposed the weight: a linear layer has it as [out, in], and the product reads [in,
/// out].
bool isFolded(const Graph &graph, const Parameter &row, const std::vector<Use> &readers) {
  return graph.at(row.value).shape.size() == 2 && !readers.empty() &&
         std::ranges::all_of(readers, [](const Use &use) {
           return use.input == 1 &&
                  (use.node->is("MatMul") || (use.node->is("Gemm") && use.node->integer("transB", 0) == 0));
         });
}

/// Gives a weight its module's name, and removes dimensions of 1 that an optimiser added: those around the
/// channels of a group norm or a PReLU, leading ones of rows that were looked up in a table, and those of an
/// unsqueeze. Other dimensions of 1 are the module's own ("pos" of 1 x length x width).
Status squeeze(Graph &graph, Parameter &row, const std::vector<Use> &readers, NodeMaker &maker) {
  Value value = graph.at(row.value);
  const Shape whole = value.shape;
  value.name = row.name;
  const bool isOfTable = value.weight->isFoldedWithOthers && leafOfName(row.name) == "weight";
  while (isOfTable && value.shape.size() > 2 && value.shape[0] == 1)
    value.shape.erase(value.shape.begin());
  if (isOfGroupNorm(graph, readers) || std::ranges::all_of(readers, isSlope))
    value.shape = {elementsOf(value.shape)};
  else if (const std::optional<Shape> shape = shapeBeforeUnsqueeze(value); shape && !isLookedUp(value))
    value.shape = *shape;
  row.value = graph.add(std::move(value));
  const ValueId shaped = maker.reshape(row.value, whole);
  for (const Use &use : readers)
    use.node->inputs[use.input] = shaped;
  return maker.status();
}

/// Restores the orientation of a weight: a new value of the transposed shape, and a node that transposes it.
Status unfold(Graph &graph, Parameter &row, const std::vector<Use> &readers, NodeMaker &maker) {
  Value value = graph.at(row.value);
  value.name = row.name;
  std::swap(value.shape[0], value.shape[1]);
  row.value = graph.add(std::move(value));
  row.transposed = true;
  row.why += ", stored transposed";
  const ValueId transposed = maker.transpose(row.value, {1, 0});
  for (const Use &use : readers)
    use.node->inputs[use.input] = transposed;
  return maker.status();
}

} // namespace

// Exporters write a group norm as an instance norm over groups, whose scale and shift are constants, between
// two reshapes.
std::string leafOfGroupNorm(const Graph &graph, const Use &use) {
  auto isNormed = [&](ValueId id) {
    const Node *reshape = graph.producer(id, "Reshape");
    return reshape && graph.producer(reshape->inputs[0], "InstanceNormalization");
  };
  if (use.node->scope.empty() || use.node->inputs.size() != 2)
    return {};
  const ValueId other = use.node->inputs[1 - use.input];
  if (use.node->is("Mul"))
    return isNormed(other) ? "weight" : "";
  const Node *scaled = use.node->is("Add") ? graph.producer(other, "Mul") : nullptr;
  return scaled && std::ranges::any_of(scaled->inputs, isNormed) ? "bias" : "";
}

std::vector<Parameter> classifyWeights(const Graph &graph) { return Classifier(graph).run(); }

Status restoreNames(Graph &graph, std::vector<Parameter> &rows) {
  NodeMaker::Nodes transposes;
  NodeMaker maker(graph, transposes);
  const Uses uses = usesOf(graph);
  for (Parameter &row : rows) {
    if (!row.trainable)
      continue;
    const std::vector<Use> &readers = uses.at(row.value);
    const bool isNamed = !isGenerated(row.name);
    const std::string &source = graph.at(row.value).weight->foldedFrom;
    const bool isFree = !source.empty() && graph.find(source) == kAbsent;
    std::string name = isFree    ? source
                       : isNamed ? embeddingName(graph, row, readers)
                                 : nameBesideBias(graph, readers, uses);
    if (name.empty() && !isNamed) {
      name = moduleName(graph, readers);
      row.mayLackModules = graph.hidesModules && !name.empty();
    }
    const bool isListed =
        graph.moduleParameters.empty() || std::ranges::count(graph.moduleParameters, name) > 0;
    if (!isListed && !isNamed && source.empty()) {
      row.trainable = false;
      row.why = "no parameter of the module";
      continue;
    }
    row.isComputed |= name.empty() && !isNamed && source.empty();
    if (name.empty())
      continue;
    row.name = name;
    if (!isFree)
      row.why += isNamed ? ", named after its embedding" : ", renamed";
    const bool isTransposed = isFree && isTurned(graph.at(row.value));
    const bool isOfCall = source.empty() || operationOf(row.initializer) == "val"; // as a linear layer's
    if (isTransposed || (!isNamed && isOfCall && isFolded(graph, row, readers)))
      WINDLASS_TRY(unfold(graph, row, readers, maker));
    else if (isFree || (!isNamed && (isOfGroupNorm(graph, readers) || std::ranges::all_of(readers, isSlope))))
      WINDLASS_TRY(squeeze(graph, row, readers, maker));
    else
      graph.at(row.value).name = name;
  }
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(transposes.begin()),
                     std::make_move_iterator(transposes.end()));
  return Status::ok();
}

} // namespace windlass::onnx
