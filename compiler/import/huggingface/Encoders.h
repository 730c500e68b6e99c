// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Encoders.h - BERT's and ViT's config.json as graph JSON ===============//
//
// Duty: BERT with the heads of kBertHeads and ViTForImageClassification, with the
// names, shapes and initialisers of transformers' checkpoints.
// Every option of the config is built or refused; none is ignored.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/huggingface/ConfigKeys.h"

namespace windlass {

inline constexpr LayerSizes kEncoderSizes{3072};

/// The heads of BERT that are known; the first is the default, without "architectures".
inline constexpr std::string_view kBertHeads[] = {"BertForMaskedLM", "BertForSequenceClassification",
                                                  "BertForTokenClassification"};

// Each returns a "windlass.model/1" document; after a failure the result must not be used.
nlohmann::json describeBert(JsonReader &config, const TrainingOptions &training);
nlohmann::json describeVit(JsonReader &config, const TrainingOptions &training);

} // namespace windlass
