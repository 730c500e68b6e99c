// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IgnoredLabels.h - the labels that inputs ignore =======================//
//
// Duty: settles which label each input of labels ignores. The loss is divided by the number of the labels
// that are not ignored, so that its cross-entropies must ignore the same one. An input that names none
// ignores what its cross-entropies ignore. Errors: noted at a cross-entropy that ignores another label than
// its input does, and that no mean over a number of its own divides. Threads: one reader, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/JsonReader.h"
#include <map>
#include <optional>
#include <string>

namespace windlass {

/// Inputs of labels by name, with the label that each ignores; null: the input names none.
using IgnoredLabels = std::map<std::string, std::optional<int64_t>>;

/// Fills in the labels of inputs that name none, from the operations of the document `top`. An input of which
/// no cross-entropy names a label, or several name different ones, stays as it is.
void settleIgnoredLabels(JsonReader &top, IgnoredLabels &ignored);

} // namespace windlass
