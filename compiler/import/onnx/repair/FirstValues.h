// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FirstValues.h - where parameters' values stand in the file ==========//
//
// Duty: for every parameter of a document the bytes that hold its values: the
// module's, whatever an exporter renamed, transposed, merged or copied.
// Units: bytes from the file's start.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windlass::onnx {

struct Graph;
struct ParameterTable;

struct FirstValues {
  std::string parameter, initializer; ///< the module's name, and the file's
  std::string file;                   ///< absolute; empty: the values lie in one piece in none
  int64_t offset = 0;
  std::string element;     ///< as plans call it (runtime/plan/Enums.def)
  bool transposed = false; ///< the file holds the matrix the other way round
};

/// One for every parameter that the graph reads, but for those that the file lacks (LostBiases.h).
std::vector<FirstValues> firstValues(const Graph &graph, const ParameterTable &parameters);

} // namespace windlass::onnx
