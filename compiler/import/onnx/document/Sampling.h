// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sampling.h - a language model's logits for one sequence =============//
//
// Duty: sampling computes what a training step does, but of one sequence: its sizes
// are the batch's. An ONNX graph is folded for one batch, so which numbers of a
// document are multiples of the batch is seen by folding it for another one.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace windlass::onnx {

/// Whether a document without blocks predicts each next token from those before it.
bool isCausalLanguageModel(const nlohmann::json &document);

/// Lets the document say what sampling computes. `other` is the same model for one more than `batch`. Nothing
/// is changed where the two differ in more than sizes; of a batch of one nothing has to be compared.
void addSampling(nlohmann::json &document, const nlohmann::json &other, int64_t batch);

} // namespace windlass::onnx
