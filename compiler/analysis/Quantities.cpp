// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, and each quantity by formula and as counted in the IR: the first part of Analysis.h.

#include "compiler/analysis/Figures.h"
#include "compiler/analysis/Grid.h"
#include "model/Formulas/ActivationMemory.h"
#include "model/Formulas/Bandwidth.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "llvm/Support/FormatVariadic.h"

namespace windlass::analysis {

using llvm::formatv;
using model::Transformer;

std::string_view word(Unit unit) {
  switch (unit) {
  case Unit::Elements:
    return "elements";
  case Unit::Bytes:
    return "bytes";
  case Unit::Flop:
    return "FLOP";
  }
  return "";
}

std::string shown(double value, Unit unit) {
  switch (unit) {
  case Unit::Elements:
    return formatCount(static_cast<int64_t>(value));
  case Unit::Bytes:
    return formatBytes(static_cast<int64_t>(value));
  case Unit::Flop: {
    const std::string rate = formatRate(value, "FLOP");
    return rate.substr(0, rate.size() - 2); // not per second
  }
  }
  return "";
}

std::string describeInputs(const Analysis &a) {
  model::StateBytes states = *model::mixedPrecisionStates(a.options.bytesPerParameter);
  std::string text = "model         " + a.name + ": " + counted(a.parameters.all(), "parameter");
  if (a.isCounted)
    text += ", layers " + std::to_string(a.layers);
  if (const auto &t = a.transformer)
    text +=
        formatv(", hidden {0}, heads {1}, sequence {2}", t->model.hidden, t->model.heads, t->model.sequence);
  text += formatv("\nstep          ranks {0}, micro-batches {1}", a.machine.ranks(), a.microBatches);
  if (a.tensorRanks > 1)
    text += formatv(", tensor ranks {0}{1} (what is counted in the IR is one's)", a.tensorRanks,
                    a.ownRows ? " with rows of their own" : "");
  if (a.stages > 1)
    text += formatv(", stages {0} (what is counted is of all)", a.stages);
  if (const auto &t = a.transformer)
    text += formatv(", sequences in each {0}", t->batch);
  text += formatv(", {0}\n", plan::textOf(a.compute));
  text += formatv("inputs        bytes a parameter {0} (parameter {1:F0}, gradient {2:F0}, optimizer "
                  "{3:F0}), layers a checkpoint "
                  "{4}\n",
                  a.options.bytesPerParameter, states.parameter, states.gradient, states.optimizer,
                  a.options.checkpointEvery);
  if (a.isCounted && !a.transformer)
    text += "              no transformer: its layers do not have one attention each, all of them equal\n";
  if (a.transformer && !a.transformer->hasPapersWidths())
    text +=
        formatv("              its heads are {0} wide together: formulas that take this for the hidden size "
                "are left out\n",
                a.transformer->attentionWidth);
  return text;
}

namespace {

double of(int64_t count) { return static_cast<double>(count); }

Quantity computation(const Analysis &a) {
  const MatmulFlops attention = a.all.layers - a.linear.layers, &linear = a.linear.layers;
  Quantity quantity{"computation", "INF 7,8", "8 bsz seq 12 nl hd^2", Unit::Flop};
  quantity.counted = {{linear.all(), "linear layers, of which"},
                      {linear.forward, "forward"},
                      {linear.recompute, "recomputed"},
                      {linear.backward, "backward"}};
  if (attention.all() > 0)
    quantity.counted.push_back({attention.all(), "attention"});
  quantity.counted.push_back({a.all.outside.all(), "outside of layers"});
  return quantity;
}

/// The papers' value of each quantity, in their order.
void addPapers(std::vector<Quantity> &quantities, const Analysis &a) {
  const Transformer &t = a.transformer->model;
  const int64_t batch = a.transformer->batch, every = a.options.checkpointEvery;
  const model::StateBytes states = *model::mixedPrecisionStates(a.options.bytesPerParameter);
  const std::optional<double> values[] = {
      ofPapersWidths(a, model::parameterCount(t)),
      ofPapersWidths(a, model::modelStateBytes(model::parameterCount(t), states)),
      model::checkpointBytes(t, batch, every),
      model::modelStateWorkingBytes(t),
      ofPapersWidths(a, model::activationWorkingBytes(t, batch, every)),
      ofPapersWidths(a, model::activationParts(t, batch).all()),
      ofPapersWidths(a, model::computationPerIteration(t, batch))};
  for (size_t i = 0; i < quantities.size(); ++i)
    quantities[i].papers = values[i];
}

} // namespace

std::vector<Quantity> quantitiesOf(const Analysis &a) {
  if (!a.isCounted)
    return {};
  std::vector<Quantity> quantities = {
      {"parameters",
       "INF 1",
       "12 nl hd^2",
       Unit::Elements,
       {},
       {{of(a.parameters.matrices), "matrices of layers"},
        {of(a.parameters.vectors), "vectors of layers"},
        {of(a.parameters.outside), "outside of layers"}}},
      {"model states",
       "INF 2",
       "bytes a parameter x INF 1",
       Unit::Bytes,
       {},
       {{of(a.states.all()), "of which"},
        {of(a.states.parameters), "parameters"},
        {of(a.states.gradients), "gradients"},
        {of(a.states.optimizer), "optimizer"}}},
      {"activation checkpoints",
       "INF 3",
       "2 bsz seq hd nl/ci",
       Unit::Bytes,
       {},
       {{of(a.checkpoints.layers), "inputs of layers"}}},
      {"model-state working memory",
       "INF 4",
       "4 hd x 4 hd",
       Unit::Bytes,
       {},
       {{of(a.states.largestOperator), "largest of a layer"}}},
      {"activation working memory",
       "INF 5",
       "bsz seq ci (16 hd + 2 heads seq)",
       Unit::Bytes,
       {},
       {{of(a.kept.largestLayer * a.options.checkpointEvery), "kept by a layer x ci"}}},
      {"activations of a layer",
       "ACT",
       "sbh (34 + 5as/h)",
       Unit::Bytes,
       {},
       {{of(a.kept.largestLayer), "kept by a layer"}, {of(a.kept.outside), "outside of layers"}}},
      computation(a)};
  if (a.transformer)
    addPapers(quantities, a);
  return quantities;
}

std::string describeQuantities(const Analysis &a) {
  const std::vector<Quantity> quantities = quantitiesOf(a);
  if (quantities.empty())
    return "";
  Grid grid({{27, Grid::Align::Left},
             {8, Grid::Align::Left},
             {32, Grid::Align::Left},
             {15},
             {16},
             {0, Grid::Align::Left}});
  grid.add({"quantity", "source", "formula", "papers", "counted", "  in the IR"});
  for (const Quantity &quantity : quantities) {
    const std::string papers = quantity.papers ? shown(*quantity.papers, quantity.unit) : "-";
    std::vector<std::string> first = {quantity.name, quantity.source, quantity.formula, papers};
    for (const Quantity::Counted &counted : quantity.counted) {
      first.push_back(shown(counted.value, quantity.unit));
      first.push_back(std::string("  ") + counted.words);
      grid.add(std::exchange(first, {"", "", "", ""}));
    }
  }
  return grid.text();
}

} // namespace windlass::analysis
