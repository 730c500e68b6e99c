// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorPlaces.h - where in a file its tensors stand ==================//
//
// Duty: the bytes of a parsed file in which the elements of each initializer, and of
// each tensor that a node holds, lie in one piece, so that a run reads them there. The
// parser does not say where it was.
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
  int64_t begin = -1; ///< -1: the elements lie nowhere back to back
  int64_t bytes = 0;
};

/// The fields of one tensor. A list that is packed in several pieces has no place.
struct TensorPlace {
  ByteRange raw, floats, doubles;
  ByteRange integers;       ///< a list of varints
  int64_t integerCount = 0; ///< in them
};

struct TensorPlaces {
  std::vector<TensorPlace> initializers; ///< of every one, in the file's order
  std::map<std::string, TensorPlace, std::less<>>
      results; ///< of nodes that hold a tensor, by their first result
};

/// `model` is a file that was parsed without an error.
TensorPlaces placesOfTensors(std::string_view model);

} // namespace windlass::onnx
