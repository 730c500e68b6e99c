// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ActivationMemory.h - formulas of activation memory ====================//
//
// Duty: INF Eq. 3 (checkpoints), Eq. 4 and 5 (working memory), and ACT's bytes per
// layer with its parallel and recomputing variants. All assume 16-bit activations
// and, in ACT, one-byte dropout masks.
// Units: bytes on one device; a batch is in sequences.
// Errors, threads: Transformer.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Formulas/Transformer.h"

namespace windlass::model {

/// INF Eq. 3: the inputs of every `every`-th layer (INF: ci).
double checkpointBytes(const Transformer &model, int64_t batch, int64_t every);

/// INF Eq. 4, MSWM: parameter and gradient of the largest linear layer, h x 4h.
double modelStateWorkingBytes(const Transformer &model);

/// INF Eq. 5, AWM: activations between two checkpoints.
double activationWorkingBytes(const Transformer &model, int64_t batch, int64_t every);

/// ACT: the parts of a layer's activations whose sum is sbh(34 + 5as/h).
struct ActivationParts {
  double attention = 0; ///< 11sbh: what its linear layers, products and dropout read
  double core = 0;      ///< 5as^2b: softmax, its dropout's mask and result
  double mlp = 0;       ///< 19sbh
  double norms = 0;     ///< 4sbh: the inputs of both
  double all() const { return attention + core + mlp + norms; }
};
ActivationParts activationParts(const Transformer &model, int64_t batch);

/// ACT: what is repeated in the backward pass instead of kept.
enum class Recomputed : uint8_t {
  Nothing,
  AttentionCore, ///< "selective"
  Layer,         ///< "full": only the layer's input is kept, on every rank whole
  LayerInParts   ///< the same, of whose input each rank keeps a part (ZeRO: Pa)
};

struct ActivationMesh {
  int64_t tensorRanks = 1;       ///< ACT: t
  bool sequenceParallel = false; ///< norms and dropouts are split along the sequence too
};

/// ACT: bytes of one layer's activations on one rank.
///                 nothing                   attention core     layer   layer in parts
///   tensor        sbh(10 + 24/t + 5as/ht)   sbh(10 + 24/t)     2sbh    2sbh/t
///   and sequence  sbh(34/t + 5as/ht)        34sbh/t            2sbh    2sbh/t
double activationBytesPerLayer(const Transformer &model, int64_t batch, ActivationMesh mesh,
                               Recomputed recomputed);

/// ACT Section 4.2.3: the layers whose activations the first of `stages` stages holds at a time under 1F1B:
/// L, all of the model's; or L (1 + (p - 1) / (p v)) with `chunks` > 1 chunks per stage. Holds for at least
/// as many micro-batches as stages.
double layersHeldByFirstStage(double layers, int64_t stages, int64_t chunks);

} // namespace windlass::model
