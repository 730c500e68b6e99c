// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/ModelStates.h"

namespace windlass::model {
namespace {

/// Bytes of one parameter's states on one data-parallel device.
double bytesOnDevice(const StateBytes &states, ZeroStage stage, const StateMesh &mesh) {
  auto share = [&](double bytes, ZeroStage from, int64_t ranks) {
    return stage >= from ? bytes / static_cast<double>(ranks) : bytes;
  };
  return share(states.parameter, ZeroStage::Parameters, mesh.sharers()) +
         share(states.gradient, ZeroStage::Gradients, mesh.sharersOfRest()) +
         share(states.optimizer, ZeroStage::OptimizerStates, mesh.sharersOfRest());
}

} // namespace

double parameterCount(const Transformer &model) {
  double hidden = static_cast<double>(model.hidden);
  return 12 * static_cast<double>(model.layers) * hidden * hidden;
}

std::optional<StateBytes> mixedPrecisionStates(int64_t bytes) {
  switch (bytes) {
  case 16:
    return StateBytes{2, 2, 12};
  case 18:
    return StateBytes{2, 4, 12};
  case 20:
    return StateBytes{2, 2, 16};
  default:
    return std::nullopt;
  }
}

double modelStateBytes(double parameters, const StateBytes &states) { return parameters * states.all(); }

double stateBytesPerDevice(double parameters, const StateBytes &states, ZeroStage stage, StateMesh mesh) {
  return parameters / static_cast<double>(mesh.modelRanks) * bytesOnDevice(states, stage, mesh);
}

double hpzStateBytesPerDevice(double parameters, const StateBytes &states, StateMesh mesh) {
  auto modelRanks = static_cast<double>(mesh.modelRanks), sharers = static_cast<double>(mesh.sharers());
  return stateBytesPerDevice(parameters, states, ZeroStage::Parameters, {mesh.dataRanks, mesh.modelRanks}) +
         parameters / modelRanks * states.parameter / sharers;
}

double largestModel(double deviceBytes, const StateBytes &states, ZeroStage stage, StateMesh mesh) {
  return deviceBytes * static_cast<double>(mesh.modelRanks) / bytesOnDevice(states, stage, mesh);
}

std::span<const MeasuredModels> largestModelsMeasured() {
  static constexpr MeasuredModels rows[] = {
      {1, 1.3e9, 6.2e9}, {2, 2.5e9, 12.5e9}, {4, 5e9, 25e9}, {8, 10e9, 50e9}, {16, 20e9, 100e9}};
  return rows;
}

double communicationElements(double parameters, ZeroStage stage) {
  // A reduce-scatter and an all-gather move each element once; parameters that are partitioned are gathered
  // for the forward pass and again for the backward pass.
  return communicationElements(parameters, stage, {}, 1).inside;
}

WireElements communicationElements(double parameters, ZeroStage stage, StateMesh mesh, int64_t microBatches) {
  auto steps = static_cast<double>(microBatches), sharers = static_cast<double>(mesh.sharers());
  double gathers = stage == ZeroStage::Parameters ? 2 * steps : 1;
  // Across groups reduce-scatters and a gather, of a rank's part.
  double sums = mesh.sharesRest ? steps : 1;
  double across = mesh.sharers() == mesh.dataRanks ? 0 : (sums + 1) / sharers;
  double ofRank = parameters / static_cast<double>(mesh.modelRanks);
  return {(steps + gathers) * ofRank, across * ofRank};
}

} // namespace windlass::model
