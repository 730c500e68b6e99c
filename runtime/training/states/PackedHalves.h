// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackedHalves.h - 16-bit floats that a file spells as varints ==========//
//
// Duty: random access to elements of 7 bits a byte, as protobuf packs integers:
// ONNX may spell float16 and bfloat16 so. Opening reads them once and keeps the
// place of every few thousandth, so that a read begins near what it wants.
// Errors: BadInput where the file holds fewer elements; those of the file.
// Ownership: the file must outlive this. Threads: const use by many.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include <vector>

namespace windlass {

class PackedHalves {
public:
  /// `begin`: bytes from the file's start; `count`: elements.
  static Result<PackedHalves> open(const File &file, int64_t begin, int64_t count);

  /// Fills `out` with the bits of elements [first, ...).
  Status read(int64_t first, std::span<uint16_t> out) const;

private:
  explicit PackedHalves(const File &file) : file(&file) {}

  const File *file;
  std::vector<int64_t> marks; ///< places of every kStride-th element
};

} // namespace windlass
