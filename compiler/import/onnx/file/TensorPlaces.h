// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorPlaces.h - places of tensors in a file ==========================//
//
// Duty: finds the byte ranges of a file in which the elements of each initializer, and of each tensor of a
// Constant node, are contiguous, so that a run can read them there. The parser does not keep these positions.
// Units: bytes from the file's start.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::onnx {

struct ByteRange {
  int64_t begin = -1; ///< -1: the elements are nowhere contiguous
  int64_t bytes = 0;
};

/// The places of the fields of one tensor. A list that is packed in several pieces has none.
struct TensorPlace {
  ByteRange raw, floats, doubles;
  ByteRange integers;       ///< a list of varints
  int64_t integerCount = 0; ///< number of these varints
};

struct TensorPlaces {
  std::vector<TensorPlace> initializers; ///< of every initializer, in the order of the file
  std::map<std::string, TensorPlace, std::less<>>
      results; ///< of tensors of nodes, by the node's first result
};

/// `model`: the bytes of a file that was parsed without an error.
TensorPlaces placesOfTensors(std::string_view model);

} // namespace windlass::onnx
