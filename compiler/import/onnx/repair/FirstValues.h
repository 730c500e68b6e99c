// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FirstValues.h - the places of parameters' first values ================//
//
// Duty: finds the bytes of a file that have the first values of each parameter of a document, also if an
// exporter renamed, transposed, merged or copied the parameter. Units: bytes from the file's start. Threads:
// pure functions.
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
  std::string file;                   ///< absolute; empty: no file has the values in one piece
  int64_t offset = 0;
  std::string element;      ///< a word of runtime/plan/Enums.def
  bool transposed = false;  ///< the file has the transposed matrix
  bool isStatistic = false; ///< a running statistic that batches change
};

/// One entry per parameter that the graph reads, without those that the file lacks (LostBiases.h).
std::vector<FirstValues> firstValues(const Graph &graph, const ParameterTable &parameters);

} // namespace windlass::onnx
