// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMaps.h - the maps that device code is tested with ===============//
//
// Duty: kernels as MLIR text, of every form and element type that maps have: all that is
// said of device code is said of each of them. Threads: pure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace windlass::codegen::test {

/// A module of kernels on tensors of the same extent.
struct DeviceMaps {
  std::string name, mlir;
  std::vector<std::string> kernels;
  int64_t extent;                  ///< of the outermost dimension of what they make
  std::map<int, int> inPlace = {}; ///< results that may lie in an argument's buffer
};

/// In place; in f32. On one dimension, so the range is the length.
std::string adamw();
/// tanh of a sum with a row.
std::string biasGelu(int64_t rows, int64_t columns, const std::string &element = "f32");

std::vector<DeviceMaps> deviceMaps();

} // namespace windlass::codegen::test
