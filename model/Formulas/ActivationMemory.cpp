// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Formulas/ActivationMemory.h"

namespace windlass::model {
namespace {

struct Sizes {
  double layers, hidden, heads, sequence;
  explicit Sizes(const Transformer &model)
      : layers(static_cast<double>(model.layers)), hidden(static_cast<double>(model.hidden)),
        heads(static_cast<double>(model.heads)), sequence(static_cast<double>(model.sequence)) {}
};

} // namespace

double checkpointBytes(const Transformer &model, int64_t batch, int64_t every) {
  Sizes m(model);
  return 2 * static_cast<double>(batch) * m.sequence * m.hidden * m.layers / static_cast<double>(every);
}

double modelStateWorkingBytes(const Transformer &model) {
  Sizes m(model);
  return 4 * m.hidden * 4 * m.hidden;
}

double activationWorkingBytes(const Transformer &model, int64_t batch, int64_t every) {
  Sizes m(model);
  return static_cast<double>(batch) * m.sequence * static_cast<double>(every) *
         (16 * m.hidden + 2 * m.heads * m.sequence);
}

ActivationParts activationParts(const Transformer &model, int64_t batch) {
  Sizes m(model);
  double sb = m.sequence * static_cast<double>(batch), sbh = sb * m.hidden;
  return {11 * sbh, 5 * m.heads * m.sequence * sb, 19 * sbh, 4 * sbh};
}

double activationBytesPerLayer(const Transformer &model, int64_t batch, ActivationMesh mesh,
                               Recomputed recomputed) {
  Sizes m(model);
  double sbh = m.sequence * static_cast<double>(batch) * m.hidden;
  if (recomputed == Recomputed::Layer)
    return 2 * sbh;
  double t = static_cast<double>(mesh.tensorRanks);
  if (recomputed == Recomputed::LayerInParts)
    return 2 * sbh / t;
  // The inputs of norms and of the first linear layers, and the masks behind the last ones, are whole on
  // every tensor-parallel rank, unless the sequence is split there.
  double whole = 10 * sbh / (mesh.sequenceParallel ? t : 1), split = 24 * sbh / t;
  double core = recomputed == Recomputed::Nothing ? activationParts(model, batch).core / t : 0;
  return whole + split + core;
}

double layersHeldByFirstStage(double layers, int64_t stages, int64_t chunks) {
  if (chunks == 1)
    return layers;
  const auto p = static_cast<double>(stages), v = static_cast<double>(chunks);
  return layers * (1 + (p - 1) / (p * v));
}

} // namespace windlass::model
