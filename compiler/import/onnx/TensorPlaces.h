// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorPlaces.h - where in a file its initializers stand =============//
//
// Duty: the bytes of a parsed file in which each initializer's elements lie in one
// piece, so that a run reads them there. The parser does not say where it was.
// Units: bytes from the file's start.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace windlass::onnx {

struct ByteRange {
  int64_t begin = -1; ///< -1: the elements lie nowhere back to back
  int64_t bytes = 0;
};

/// The fields of one initializer. A list that is packed in several pieces has no place.
struct TensorPlace {
  ByteRange raw, floats, doubles;
  ByteRange integers;       ///< a list of varints
  int64_t integerCount = 0; ///< in them
};

/// One for every initializer, in the file's order. `model` is a file that was parsed without an error.
std::vector<TensorPlace> placesOfInitializers(std::string_view model);

} // namespace windlass::onnx
