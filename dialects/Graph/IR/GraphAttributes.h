//===- GraphAttributes.h - what import says beside an op ===================//
//
// Duty: the names of attributes that models need now and then, and that an op keeps as it goes through
// passes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace windlass::graph {

/// On an embedding, i64: the row of its table that gets no gradient from being looked up.
inline constexpr llvm::StringLiteral kPadding = "graph.padding";

} // namespace windlass::graph
