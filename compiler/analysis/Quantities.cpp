// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, and each quantity by formula beside what the IR has: the first part of Analysis.h.

#include "compiler/analysis/Analysis.h"
#include "compiler/analysis/Grid.h"
#include "model/Formulas/ActivationMemory.h"
#include "model/Formulas/Bandwidth.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "llvm/Support/FormatVariadic.h"

namespace windlass::analysis {
namespace {

using llvm::formatv;

std::string bytes(double count) { return formatBytes(static_cast<int64_t>(count)); }
std::string count(double elements) { return formatCount(static_cast<int64_t>(elements)); }
std::string flops(double amount) {
  std::string rate = formatRate(amount, "FLOP");
  return rate.substr(0, rate.size() - 2); // not per second
}

/// Lines: what, by which equation, its value, and that of the IR.
class QuantityTable {
public:
  QuantityTable()
      : grid({{27, Grid::Align::Left},
              {8, Grid::Align::Left},
              {32, Grid::Align::Left},
              {15},
              {16},
              {0, Grid::Align::Left}}) {}

  void add(const char *quantity, const char *equation, const char *formula, const std::string &papers,
           const std::string &counted, const std::string &words = "") {
    grid.add({quantity, equation, formula, papers, counted, "  " + words});
  }
  /// Another value of the IR.
  void more(const std::string &counted, const std::string &words) { add("", "", "", "", counted, words); }
  std::string text() const { return grid.text(); }

private:
  Grid grid;
};

void addComputation(QuantityTable &table, const Analysis &a, const std::string &papers) {
  MatmulFlops attention = a.all.layers - a.linear.layers;
  const MatmulFlops &linear = a.linear.layers;
  table.add("computation", "INF 7,8", "8 bsz seq 12 nl hd^2", papers, flops(linear.all()),
            "linear layers, of which");
  table.more(flops(linear.forward), "forward");
  table.more(flops(linear.recompute), "recomputed");
  table.more(flops(linear.backward), "backward");
  if (attention.all() > 0)
    table.more(flops(attention.all()), "attention");
  table.more(flops(a.all.outside.all()), "outside of layers");
}

} // namespace

std::string describeInputs(const Analysis &a) {
  model::StateBytes states = *model::mixedPrecisionStates(a.options.bytesPerParameter);
  std::string text = "model         " + a.name + ": " + counted(a.parameters.all(), "parameter") +
                     ", layers " + std::to_string(a.layers);
  if (const auto &t = a.transformer)
    text +=
        formatv(", hidden {0}, heads {1}, sequence {2}", t->model.hidden, t->model.heads, t->model.sequence);
  text += formatv("\nstep          ranks {0}, micro-batches {1}", a.machine.ranks(), a.microBatches);
  if (const auto &t = a.transformer)
    text += formatv(", sequences in each {0}", t->batch);
  text += formatv(", {0}\n", plan::textOf(a.compute));
  text += formatv("inputs        bytes a parameter {0} (parameter {1:F0}, gradient {2:F0}, optimizer "
                  "{3:F0}), layers a checkpoint "
                  "{4}\n",
                  a.options.bytesPerParameter, states.parameter, states.gradient, states.optimizer,
                  a.options.checkpointEvery);
  if (!a.transformer)
    text += "              no transformer: its layers do not have one attention each, all of them equal\n";
  return text;
}

std::string describeQuantities(const Analysis &a) {
  std::optional<model::Transformer> t;
  int64_t batch = 1, every = a.options.checkpointEvery;
  if (a.transformer) {
    t = a.transformer->model;
    batch = a.transformer->batch;
  }
  auto papers = [&](auto text, auto value) { return t ? text(value(*t)) : std::string("-"); };
  QuantityTable table;
  table.add("quantity", "source", "formula", "papers", "counted", "in the IR");
  table.add("parameters", "INF 1", "12 nl hd^2", papers(count, model::parameterCount),
            formatCount(a.parameters.matrices), "matrices of layers");
  table.more(formatCount(a.parameters.vectors), "vectors of layers");
  table.more(formatCount(a.parameters.outside), "outside of layers");
  table.add("model states", "INF 2", "bytes a parameter x INF 1",
            papers(bytes,
                   [&](const model::Transformer &m) {
                     return model::modelStateBytes(model::parameterCount(m),
                                                   *model::mixedPrecisionStates(a.options.bytesPerParameter));
                   }),
            formatBytes(a.states.all()), "of which");
  table.more(formatBytes(a.states.parameters), "parameters");
  table.more(formatBytes(a.states.gradients), "gradients");
  table.more(formatBytes(a.states.optimizer), "optimizer");
  table.add(
      "activation checkpoints", "INF 3", "2 bsz seq hd nl/ci",
      papers(bytes, [&](const model::Transformer &m) { return model::checkpointBytes(m, batch, every); }),
      formatBytes(a.checkpoints.layers), "inputs of layers");
  table.add("model-state working memory", "INF 4", "4 hd x 4 hd",
            papers(bytes, model::modelStateWorkingBytes), formatBytes(a.states.largestOperator),
            "largest of a layer");
  table.add(
      "activation working memory", "INF 5", "bsz seq ci (16 hd + 2 heads seq)",
      papers(bytes,
             [&](const model::Transformer &m) { return model::activationWorkingBytes(m, batch, every); }),
      formatBytes(a.kept.largestLayer * every), "kept by a layer x ci");
  table.add(
      "activations of a layer", "ACT", "sbh (34 + 5as/h)",
      papers(bytes, [&](const model::Transformer &m) { return model::activationParts(m, batch).all(); }),
      formatBytes(a.kept.largestLayer), "kept by a layer");
  table.more(formatBytes(a.kept.outside), "outside of layers");
  addComputation(table, a, papers(flops, [&](const model::Transformer &m) {
                   return model::computationPerIteration(m, batch);
                 }));
  return table.text();
}

} // namespace windlass::analysis
