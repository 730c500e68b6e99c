// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/Bandwidth.h"

#include "model/Formulas/ModelStates.h"

namespace windlass::model {

double efficiency(double intensity, double bandwidth, double peak) {
  return intensity * bandwidth / (intensity * bandwidth + peak);
}

double bandwidthFor(double efficiency, double intensity, double peak) {
  return peak * efficiency / (intensity * (1 - efficiency));
}

double computationPerIteration(double parameters, int64_t sequence, int64_t batch) {
  return 2 * 4 * static_cast<double>(batch) * static_cast<double>(sequence) * parameters;
}

double computationPerIteration(const Transformer &model, int64_t batch) {
  return computationPerIteration(parameterCount(model), model.sequence, batch);
}

double intensityOfParametersAndGradients(int64_t sequence, int64_t batch) {
  return static_cast<double>(sequence) * static_cast<double>(batch);
}

double intensityOfOptimizerStates(int64_t sequence, int64_t batch) {
  return static_cast<double>(sequence) * static_cast<double>(batch) / 4;
}

double intensityOfCheckpoints(int64_t hidden, int64_t every) {
  return 24 * static_cast<double>(hidden) * static_cast<double>(every);
}

} // namespace windlass::model
