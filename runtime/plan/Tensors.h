// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Tensors.h - what a state holds of which tensor ========================//
//
// Duty: where the first values of a tensor come from, and which of its elements a state or a rank has: parts
// of the plan (Plan.h), in elements and bytes of the whole tensor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace windlass::plan {

/// A file that holds values a fresh run starts from. A run that goes on from a checkpoint does not read it.
struct WeightFile {
  std::string path;  ///< absolute, as it was compiled
  int64_t bytes = 0; ///< of the whole file
  std::string hash;  ///< XXH3-128 in hex
};

/// Where the first values of a tensor stand: row-major and back to back in a weight file.
struct TensorSource {
  int32_t file = -1;  ///< index into Plan::weights; -1: nowhere, the initialiser says them
  std::string tensor; ///< its name in the file, for messages
  StoredType type = StoredType::F32;
  int64_t offset = 0;      ///< bytes from the file's start
  bool transposed = false; ///< the file holds the two dimensions the other way round

  bool operator==(const TensorSource &) const = default;
};

struct Initialiser {
  InitKind kind = InitKind::Constant;
  double mean = 0, std = 0; ///< Normal
  double value = 0;         ///< Constant
};

/// The elements [begin, begin + extent) of each dimension of a tensor of shape `whole`; a state's shape says
/// the extents.
struct Slice {
  std::vector<int64_t> whole;      ///< empty: no slice, but all of the tensor
  std::vector<int64_t> begin = {}; ///< by dimension

  auto operator<=>(const Slice &) const = default;
};

/// How a tensor of shape `whole` is shared out along a mesh axis of kind tensor. Its elements, in row-major
/// order, are rows of `period`; of each row coordinate c has the elements [c * width, (c + 1) * width),
/// padded where the row ends before. Of what a coordinate has, back to back, element j is element j / width *
/// period + c * width + j % width of the tensor. A column split of R x C over t ranks has period C and width
/// C / t, a row split period R * C and width R * C / t.
struct Split {
  std::vector<int64_t> whole; ///< empty: no split, every rank along the axis has the same
  int64_t axis = 0;           ///< index into Plan::mesh
  int64_t period = 0, width = 0;

  auto operator<=>(const Split &) const = default;
};

} // namespace windlass::plan
