// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ActivationTraffic.h - exchanges between tensor-parallel ranks =========//
//
// Duty: the elements of activations and of their gradients that one layer of a micro-batch moves between
// tensor-parallel ranks: as ACT counts them, and as a step of Windlass moves them, which omits exchanges
// without readers and gathers values again that are not kept. Units: elements; a collective counts its whole
// tensor once, an all-reduce twice. A batch is in sequences. Errors, threads: Transformer.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Formulas/ActivationMemory.h"

namespace windlass::model {

/// How ranks that share out operations exchange activations.
struct ExchangeWay {
  bool sequenceParallel = false; ///< sums are kept in rows, by reduce-scatters and all-gathers
  bool keepsGathered = false;    ///< but inputs of products stay gathered for their gradients
  bool repeatsLayer = false;     ///< "full" recomputation
};

/// ACT: a layer has two pairs of exchanges, f and g, with their conjugates in the backward pass. Each is an
/// all-reduce, or an all-gather and a reduce-scatter. A repeated layer has those of the forward pass once
/// more.
///                 kept    repeated
///   either way    8sbh    12sbh
double exchangedByAct(const Transformer &model, int64_t batch, const ExchangeWay &way);

/// The elements that a step of Windlass exchanges. The last sum of a repeated layer has no reader, as the
/// input of the next layer was kept. Inputs of products that are kept in rows are gathered once more for
/// their gradients.
///                               kept     repeated
///   tensor                      8sbh     10sbh
///   and sequence                10sbh    13sbh
///   and sequence, inputs stay   8sbh     11sbh
double exchangedElements(const Transformer &model, int64_t batch, const ExchangeWay &way);

} // namespace windlass::model
