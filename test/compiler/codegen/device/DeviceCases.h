// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceCases.h - kernels for the tests of device code ==================//
//
// Duty: makes kernels of every form and element type as MLIR text. The general tests of device code run over
// all of them. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace windlass::codegen::test {

/// A module of kernels whose ranges have the same end.
struct DeviceCase {
  std::string name, mlir;
  std::vector<std::string> kernels;
  int64_t extent;                  ///< the end of the range of each kernel, which begins at 0
  std::map<int, int> inPlace = {}; ///< result -> argument whose buffer the result may share
};

/// The kernel adamw, in f32. Its tensors have one dimension, so that the range of a call gives their length.
std::string adamw();
/// The kernel gelu: GELU (by tanh) of the sum of a matrix and a row.
std::string biasGelu(int64_t rows, int64_t columns, const std::string &element = "f32");
/// The kernel sum, which sums squares over some dimensions. It first widens the elements to the type of the
/// result, or doubles them if they have this type.
std::string sumOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                  const std::string &element = "f32", const std::string &result = "f32");
/// The kernel scaled: sum[i] = sum over j of x[i][j] * m[i], and y[i][j] = x[i][j] * m[i] - sum[i]. The
/// result y may lie in x, and the result sum in m.
std::string scaledRows(int64_t rows, int64_t columns);
/// The kernel pairs, which makes two sums over some dimensions in one reduction.
std::string pairsOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims,
                    const std::string &element = "f32");
inline std::string columnPairs(int64_t rows, int64_t columns, const std::string &element = "f32") {
  return pairsOf({rows, columns}, {0}, element);
}
/// The kernel norm: a layer norm of rows, with the mean and the inverse deviation of each row.
std::string layerNorm(int64_t rows, int64_t columns);
/// The kernel gradient of an embedding. If the table has 600 rows, a band of the device code has three rows.
std::string embeddingGradient(int64_t columns, const std::string &element, int64_t rows);
/// The kernel pad, which pads 2 x 3 x 17 elements to 4 x 8 x 19.
std::string pads(const std::string &element);

std::vector<DeviceCase> deviceMaps();
/// Kernels with reductions.
std::vector<DeviceCase> deviceSums();
/// Kernels that move rows: stacks, pads, embeddings and their gradients.
std::vector<DeviceCase> deviceMoves();

} // namespace windlass::codegen::test
