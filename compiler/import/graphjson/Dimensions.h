// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dimensions.h - the named sizes of a graph JSON ========================//
//
// Duty: "B*T" -> 512. A dimension is a number, or bound by the training file
// ("batch", "sequence"); a size is a dimension, a number or a product of them.
// Errors: noted at the reader's place.
// Threads: const after construction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <string>

namespace windlass {

using Shape = llvm::SmallVector<int64_t>;

class Dimensions {
public:
  /// Reads "dims". Dimensions that are bound to "batch" get the size `batch`.
  Dimensions(JsonReader place, const TrainingOptions &training, int64_t batch);

  int64_t size(JsonReader place) const;
  Shape shape(JsonReader place, size_t leastRank = 1) const;
  /// Whether the text at `place` is a dimension that is bound to the batch.
  bool isBatch(JsonReader place) const;
  /// The size of the dimension that is bound to the batch; nothing without one.
  std::optional<int64_t> batch() const;
  /// Whether a dimension is bound to the sequence.
  bool hasSequence() const { return isSequenceBound; }

private:
  int64_t factor(JsonReader &place, std::string_view text) const;

  std::map<std::string, int64_t, std::less<>> sizes;
  std::string batchName;
  bool isSequenceBound = false;
};

} // namespace windlass
