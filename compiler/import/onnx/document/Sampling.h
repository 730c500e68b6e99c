// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sampling.h - a language model's logits for one sequence ===============//
//
// Duty: adds the sampling of a language model to a document: the computation of a training step, for one
// sequence. An ONNX graph is folded for one batch size. The numbers in the document that are multiples of the
// batch are found by a comparison with the document for another batch. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// Whether a document without blocks is of a causal language model, which predicts each token from those
/// before it.
bool isCausalLanguageModel(const nlohmann::json &document);

/// Adds the outputs of sampling to the document. `other`: the document of the same model for `batch` + 1.
/// Changes nothing if the two differ in more than sizes. With a batch of 1 no comparison is needed.
void addSampling(nlohmann::json &document, const nlohmann::json &other, int64_t batch);

} // namespace windlass::onnx
