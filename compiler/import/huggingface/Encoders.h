// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Encoders.h - BERT's and ViT's config.json as graph JSON =============//
//
// Duty: BERT with the heads of kBertHeads and ViTForImageClassification, with the
// names, shapes and initialisers of transformers' checkpoints.
// What the model file asks for is built or refused, never left out.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"

namespace windlass {

/// The first where "architectures" says nothing.
inline constexpr std::string_view kBertHeads[] = {"BertForMaskedLM", "BertForSequenceClassification",
                                                  "BertForTokenClassification"};

// A "windlass.model/1" document each; nothing useful after a failure.
nlohmann::json describeBert(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeVit(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
