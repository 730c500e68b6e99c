// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Analysis.h - a model by the papers' formulas and by its own IR ========//
//
// Duty: the data and tables of `windlass-compile --analyze`: every quantity of the papers, for a model, a
// training file and a machine, beside the same quantity counted in the IR. Description: docs/analysis.md.
// Units: GraphCounts.h; the papers' assume 16-bit activations.
// Errors: none. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/GraphCounts.h"
#include "model/Formulas/ActivationTraffic.h"
#include "model/Formulas/ModelStates.h"
#include "model/Machine.h"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace windlass::analysis {

struct Options {
  int64_t bytesPerParameter = 16; ///< of model states in the formulas: 16, 18 or 20
  int64_t checkpointEvery = 1;    ///< layers between two kept inputs
};

/// A way in which tensor ranks exchange activations, counted in the IR.
struct Exchanges {
  model::ExchangeWay way;
  ExchangedElements counted;
  int64_t kept = 0; ///< bytes that the layer that keeps most keeps for its backward pass
};

/// The layers whose activations the first stage of a pipeline holds at a time, by formula and by the
/// micro-batches for which its plan has slots, where every part of the model has as many layers.
struct HeldLayers {
  std::string schedule;
  const char *formula = ""; ///< L: layers of the model; p: stages; m: micro-batches; v: chunks of a stage
  double byFormula = 0, counted = 0;
};

struct Analysis {
  std::string name;
  Options options;
  model::Machine machine;
  plan::ElementType compute = plan::ElementType::F32;
  int64_t microBatches = 1;
  int64_t tensorRanks = 1; ///< that share out the operations of a replica; counts are of one of them
  int64_t stages = 1;      ///< of a pipeline; counts are of all of them together
  bool ownRows = false;    ///< each of these keeps its own rows between two operations
  bool partitionsCheckpoints = false; ///< each of these keeps its part of a checkpoint
  int64_t groupRanks = 0;  ///< of the machine's ranks, those that share out one copy of the states; 0: all
  bool sharesRest = false; ///< of the parameters alone: all ranks share out gradients and optimizer states
  bool isCounted = true;   ///< false: parameters are given as a number, and there is no IR
  int64_t layers = 0;
  ParameterCounts parameters;
  std::optional<TransformerSizes> transformer; ///< without one the formulas of transformers are left out
  KeptBytes kept;                              ///< where nothing is recomputed
  KeptBytes checkpoints;                       ///< where every layer is
  FlopCounts linear;                           ///< with recomputation: matmuls that the model writes down
  FlopCounts all;                              ///< and those of which its composites (attention) consist
  StateCounts states;
  std::vector<Exchanges> exchanges;   ///< each way, where there are several tensor ranks
  std::vector<HeldLayers> firstStage; ///< under each schedule, where there are several stages
};

/// All tables, as a text.
std::string describe(const Analysis &analysis);
/// The same figures for programs, with all digits.
nlohmann::ordered_json toJson(const Analysis &analysis);

// Its parts, in order.
std::string describeInputs(const Analysis &analysis);
std::string describeQuantities(const Analysis &analysis);  ///< empty where no IR was counted
std::string describeActivations(const Analysis &analysis); ///< empty without a transformer
std::string describeExchanges(const Analysis &analysis);   ///< empty without a transformer or tensor ranks
std::string describeFirstStage(const Analysis &analysis);  ///< empty without stages
std::string describeStates(const Analysis &analysis);
std::string describeEfficiency(const Analysis &analysis); ///< empty without a transformer

} // namespace windlass::analysis
