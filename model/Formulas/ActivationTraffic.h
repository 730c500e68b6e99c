// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ActivationTraffic.h - what ranks that share out operations exchange ===//
//
// Duty: the elements of activations and of their gradients that one layer of a micro-batch moves between
// tensor-parallel ranks: as ACT counts them, and as a step moves them that leaves out what nobody reads and
// gathers again what is not kept.
// Units: elements; a collective counts its whole tensor once, an all-reduce twice. A batch is in sequences.
// Errors, threads: Transformer.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Formulas/ActivationMemory.h"

namespace windlass::model {

/// How ranks that share out operations exchange activations.
struct ExchangeWay {
  bool sequenceParallel = false; ///< what all-reduces sum is kept in rows, by reduce-scatters and all-gathers
  bool keepsGathered = false;    ///< so are inputs of products not: they stay gathered for their gradients
  bool repeatsLayer = false;     ///< "full" recomputation
};

/// ACT: f and its conjugate, or g and its conjugate, are an all-reduce each, or an all-gather and a
/// reduce-scatter, in one of the two passes; a layer has two of both. What is repeated has those of the
/// forward pass once more.
///                 kept    repeated
///   either way    8sbh    12sbh
double exchangedByAct(const Transformer &model, int64_t batch, const ExchangeWay &way);

/// The last sum of a layer that is repeated has no reader: its input was kept. Inputs of products that are
/// kept in rows are gathered once more for their gradients.
///                               kept     repeated
///   tensor                      8sbh     10sbh
///   and sequence                10sbh    13sbh
///   and sequence, inputs stay   8sbh     11sbh
double exchangedElements(const Transformer &model, int64_t batch, const ExchangeWay &way);

} // namespace windlass::model
