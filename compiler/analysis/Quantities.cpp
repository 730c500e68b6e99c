// Inputs, and each quantity by formula beside what the IR has: the first part of Analysis.h.

#include "compiler/analysis/Analysis.h"
#include "compiler/model/Formulas/ActivationMemory.h"
#include "compiler/model/Formulas/Bandwidth.h"
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

/// One line: what, by which equation, its value, and that of the IR.
std::string row(const char *quantity, const char *equation, const char *formula, const std::string &papers,
                const std::string &counted, const std::string &words = "") {
  std::string line =
      formatv("{0,-27}{1,-8}{2,-32}{3,15}{4,16}  {5}", quantity, equation, formula, papers, counted, words);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string more(const std::string &counted, const std::string &words) {
  return row("", "", "", "", counted, words);
}

std::string describeComputation(const Analysis &a, const std::string &papers) {
  MatmulFlops attention = a.all.layers - a.linear.layers;
  const MatmulFlops &linear = a.linear.layers;
  std::string text = row("computation", "INF 7,8", "8 bsz seq 12 nl hd^2", papers, flops(linear.all()),
                         "linear layers, of which");
  text += more(flops(linear.forward), "forward");
  text += more(flops(linear.recompute), "recomputed");
  text += more(flops(linear.backward), "backward");
  if (attention.all() > 0)
    text += more(flops(attention.all()), "attention");
  return text + more(flops(a.all.outside.all()), "outside of layers");
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
  std::string text = row("quantity", "source", "formula", "papers", "counted", "in the IR");
  text += row("parameters", "INF 1", "12 nl hd^2", papers(count, model::parameterCount),
              formatCount(a.parameters.matrices), "matrices of layers");
  text += more(formatCount(a.parameters.vectors), "vectors of layers");
  text += more(formatCount(a.parameters.outside), "outside of layers");
  text +=
      row("model states", "INF 2", "bytes a parameter x INF 1",
          papers(bytes,
                 [&](const model::Transformer &m) {
                   return model::modelStateBytes(model::parameterCount(m),
                                                 *model::mixedPrecisionStates(a.options.bytesPerParameter));
                 }),
          formatBytes(a.states.all()), "of which");
  text += more(formatBytes(a.states.parameters), "parameters");
  text += more(formatBytes(a.states.gradients), "gradients");
  text += more(formatBytes(a.states.optimizer), "optimizer");
  text +=
      row("activation checkpoints", "INF 3", "2 bsz seq hd nl/ci",
          papers(bytes, [&](const model::Transformer &m) { return model::checkpointBytes(m, batch, every); }),
          formatBytes(a.checkpoints.layers), "inputs of layers");
  text +=
      row("model-state working memory", "INF 4", "4 hd x 4 hd", papers(bytes, model::modelStateWorkingBytes),
          formatBytes(a.states.largestOperator), "largest of a layer");
  text +=
      row("activation working memory", "INF 5", "bsz seq ci (16 hd + 2 heads seq)",
          papers(bytes,
                 [&](const model::Transformer &m) { return model::activationWorkingBytes(m, batch, every); }),
          formatBytes(a.kept.largestLayer * every), "kept by a layer x ci");
  text +=
      row("activations of a layer", "ACT", "sbh (34 + 5as/h)",
          papers(bytes, [&](const model::Transformer &m) { return model::activationParts(m, batch).all(); }),
          formatBytes(a.kept.largestLayer), "kept by a layer");
  text += more(formatBytes(a.kept.outside), "outside of layers");
  return text + describeComputation(a, papers(flops, [&](const model::Transformer &m) {
                                      return model::computationPerIteration(m, batch);
                                    }));
}

} // namespace windlass::analysis
