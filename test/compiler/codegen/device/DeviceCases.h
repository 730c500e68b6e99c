// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceCases.h - the kernels that device code is tested with ===========//
//
// Duty: kernels as MLIR text, of every form and element type: all that is said of device
// code is said of each of them. Threads: pure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace windlass::codegen::test {

/// A module of kernels on tensors of the same extent.
struct DeviceCase {
  std::string name, mlir;
  std::vector<std::string> kernels;
  int64_t extent;                  ///< of the outermost dimension of what they make
  std::map<int, int> inPlace = {}; ///< results that may lie in an argument's buffer
};

/// In place; in f32. On one dimension, so the range is the length.
std::string adamw();
/// tanh of a sum with a row.
std::string biasGelu(int64_t rows, int64_t columns, const std::string &element = "f32");
/// A kernel named sum that adds up squares over some dimensions.
std::string sumOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                  const std::string &element = "f32", const std::string &result = "f32");
/// Sums of rows and of their products with a number of the row, and what is left of it: the sums may lie
/// where the numbers do.
std::string scaledRows(int64_t rows, int64_t columns);
/// A kernel named pairs that makes two sums over some dimensions.
std::string pairsOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                    const std::string &element = "f32");
inline std::string columnPairs(int64_t rows, int64_t columns, const std::string &element = "f32") {
  return pairsOf({rows, columns}, {0}, element);
}
/// Normalised rows, their means and deviations.
std::string layerNorm(int64_t rows, int64_t columns);
/// Of a table of 600 rows bands have three.
std::string embeddingGradient(int64_t columns, const std::string &element, int64_t rows);
/// Of 2 x 3 x 17 elements 4 x 8 x 19.
std::string pads(const std::string &element);

std::vector<DeviceCase> deviceMaps();
/// Kernels with reductions.
std::vector<DeviceCase> deviceSums();
/// Kernels that move rows.
std::vector<DeviceCase> deviceMoves();

} // namespace windlass::codegen::test
