// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/ActivationTraffic.h"

namespace windlass::model {
namespace {

/// The whole tensor that one collective moves.
double elementsOf(const Transformer &model, int64_t batch) {
  return static_cast<double>(model.sequence) * static_cast<double>(batch) * static_cast<double>(model.hidden);
}

} // namespace

double exchangedByAct(const Transformer &model, int64_t batch, const ExchangeWay &way) {
  // Two of both, forward and backward, each of two collectives.
  return (way.repeatsLayer ? 12 : 8) * elementsOf(model, batch);
}

double exchangedElements(const Transformer &model, int64_t batch, const ExchangeWay &way) {
  const double unread = !way.repeatsLayer ? 0 : way.sequenceParallel ? 1 : 2;
  const double again = way.sequenceParallel && !way.keepsGathered ? 2 : 0;
  return exchangedByAct(model, batch, way) + (again - unread) * elementsOf(model, batch);
}

} // namespace windlass::model
