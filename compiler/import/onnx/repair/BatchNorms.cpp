// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/BatchNorms.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/repair/NormCalls.h"
#include "runtime/base/Counted.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

constexpr const char *kTrainingMode = "training_mode";
constexpr int64_t kFirstWithMode = 14; ///< operator set; before it, the number of results showed training
constexpr size_t kResults = 3;         ///< of training: the image, the running mean, the running variance

/// Gives a node the attribute of newer operator sets, and removes results that these do not have.
void modernize(Node &node) {
  if (node.outputs.size() > 1)
    node.attributes[kTrainingMode] = int64_t{1};
  node.outputs.resize(std::min(node.outputs.size(), kResults));
}

/// Whether the module normalised with the batch. PyTorch's newer exporter always writes the form of
/// evaluation, but names the node after the operation.
bool wasTraining(const Node &node) {
  return node.name.find("_native_batch_norm_legit_functional") != std::string::npos;
}

/// Whether a batch norm was folded into a layer. PyTorch's exporters say so, or note the call of the norm
/// beside the layer, or name the folded bias "conv1.weight_bias" (the newer exporter), or make up the names
/// of both weight and bias.
bool holdsBatchNorm(const Graph &graph, const Node &node) {
  constexpr size_t kWeight = 1, kBias = 2;
  const bool isLayer = node.is("Conv") || node.is("ConvTranspose") || node.is("Gemm") || node.is("MatMul");
  if (node.holdsBatchNorm || (isLayer && callsBatchNorm(node)))
    return true;
  if (!(node.is("Conv") || node.is("Gemm")) || !node.has(kBias))
    return false;
  const Value &weight = graph.at(node.inputs[kWeight]), &bias = graph.at(node.inputs[kBias]);
  if (!weight.weight || !bias.weight)
    return false;
  return bias.name.ends_with(".weight_bias") ||
         (weight.name.starts_with("onnx::Conv_") && bias.name.starts_with("onnx::Conv_"));
}

/// The name of a running statistic in the module: of the buffer that the call of the norm was given, or of
/// the norm's own buffer. Empty: the file does not say.
std::string statisticOf(const Graph &graph, const Node &node, size_t input, const char *suffix) {
  const std::vector<std::string> &arguments = node.call.arguments;
  if (input < arguments.size() && arguments[input].starts_with('%'))
    if (const auto given = graph.tracedBuffers.find(arguments[input].substr(1));
        given != graph.tracedBuffers.end())
      return given->second;
  const std::string own = node.scope + suffix;
  const bool isTraced =
      std::ranges::any_of(graph.tracedBuffers, [&](const auto &buffer) { return buffer.second == own; });
  return isTraced ? own : "";
}

/// Gives running statistics their names in the module. Exporters name them after results of the call
/// ("getitem_3"), and have one tensor for a fresh scale and variance, which are equal.
void nameStatistics(Graph &graph, Node &node) {
  for (const auto &[input, suffix] :
       {std::pair<size_t, const char *>{3, ".running_mean"}, {4, ".running_var"}}) {
    if (!node.has(input))
      continue;
    const ValueId id = node.inputs[input];
    const std::string name = statisticOf(graph, node, input, suffix);
    if (name.empty() || !graph.at(id).weight || graph.find(name) != kAbsent)
      continue;
    int64_t uses = 0;
    for (const auto &other : graph.nodes)
      uses += std::ranges::count(other->inputs, id);
    if (uses == 1) {
      graph.at(id).name = name;
      continue;
    }
    Value own = graph.at(id);
    auto weight = std::make_shared<Weight>(*own.weight);
    weight->mark = Mark::Buffer;
    own.weight = std::move(weight);
    own.name = name;
    node.inputs[input] = graph.add(std::move(own));
  }
}

/// The refusal of folded batch norms, which cannot be restored.
Status refuseFolded(const std::vector<std::string> &layers) {
  std::string names;
  for (const std::string &layer : layers)
    names += "\n  " + layer;
  return Status::badInput(
      "batch norms that the exporter folded into " + counted(std::ssize(layers), "layer") +
      ": their parameters are lost, and what is left trains otherwise; export with optimize=False, "
      "TorchScript's with TrainingMode.TRAINING (PRESERVE for frozen ones) and do_constant_folding=False; "
      "--accept-folded trains what is left:" +
      names);
}

} // namespace

bool isTrainingNorm(const Node &node) {
  return node.is("BatchNormalization") && node.integer(kTrainingMode, 0) != 0;
}

Result<BatchNorms> settleBatchNorms(Graph &graph, const OnnxOptions &options) {
  BatchNorms found;
  for (auto &node : graph.nodes) {
    if (holdsBatchNorm(graph, *node))
      found.folded.push_back(node->scope.empty() ? node->name : node->scope);
    if (!node->is("BatchNormalization"))
      continue;
    nameStatistics(graph, *node);
    if (graph.opset < kFirstWithMode)
      modernize(*node);
    if (wasTraining(*node))
      node->attributes[kTrainingMode] = int64_t{1};
    if (!options.batchNorm.empty())
      node->attributes[kTrainingMode] = int64_t{options.batchNorm == "train"};
    if (options.unbiased)
      node->attributes[kUnbiased] = int64_t{1};
    ++(isTrainingNorm(*node) ? found.training : found.frozen);
  }
  if (!found.folded.empty() && !options.acceptFolded)
    return refuseFolded(found.folded);
  if (found.folded.empty() && options.acceptFolded)
    return Status::badInput("--accept-folded: no batch norms of the file were folded");
  if (found.training + found.frozen == 0 && (!options.batchNorm.empty() || options.unbiased))
    return Status::badInput("--batch-norm, --bn-stats: the file has no batch norms");
  return found;
}

std::string BatchNorms::describe() const {
  std::string text;
  if (training > 0)
    text += "batch norms " + std::to_string(training) +
            (training == 1 ? " normalises with the batch and updates its running statistics\n"
                           : " normalise with the batch and update their running statistics\n");
  if (frozen > 0)
    text += "batch norms " + std::to_string(frozen) + (frozen == 1 ? " is" : " are") +
            " frozen: running statistics stay as they are (--batch-norm train: as in training)\n";
  if (!folded.empty())
    text += "batch norms of " + counted(std::ssize(folded), "layer") +
            " were folded, and do not train (--accept-folded): " + folded.front() +
            (folded.size() > 1 ? ", ..." : "") + "\n";
  return text;
}

} // namespace windlass::onnx
