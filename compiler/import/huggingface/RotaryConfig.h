// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RotaryConfig.h - the rotary embedding of a config.json ================//
//
// Duty: the frequencies of a rotary embedding, scaled as the config says
// (default, linear, dynamic, llama3, yarn), computed in f32 step by step as
// transformers computes them, so that far positions turn by the same angles.
// Both spellings are read: rope_theta with rope_scaling, and rope_parameters.
// Errors: noted at the reader's place.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/JsonReader.h"

namespace windlass {

struct RotaryShape {
  int64_t headSize;  ///< columns of a head
  int64_t positions; ///< max_position_embeddings
  int64_t sequence;  ///< tokens of a training sequence
};

/// The operation "rotary_table" of a graph JSON, but for the names of its results.
nlohmann::json describeRotary(JsonReader &config, const RotaryShape &shape);

} // namespace windlass
