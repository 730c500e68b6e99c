// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StoredValues.h - elements of a file in a state's type =================//
//
// Duty: reads a range of a tensor that lies in a file, row-major and back to
// back, as elements of another type; also from a file that holds its transpose
// or spells it as varints.
// Errors: those of the file.
// Threads: pure functions of a const file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include "runtime/plan/Plan.h"
#include "runtime/training/states/PackedHalves.h"
#include <optional>
#include <string_view>
#include <vector>

namespace windlass {

/// Where a tensor lies in a file.
struct StoredTensor {
  const File *file = nullptr;
  int64_t begin = 0; ///< bytes from the file's start
  plan::StoredType type = plan::StoredType::F32;
  const PackedHalves *packed = nullptr; ///< of a type of varints
};

/// Fills `out` with elements [first, ...) of the tensor as elements of `type`: a value that this type
/// does not hold is rounded to the nearest f32, and bf16 or f16 from there.
Status readStored(const StoredTensor &tensor, int64_t first, plan::ElementType type,
                  std::span<std::byte> out);

/// The same for the tensor of rows x columns whose transpose the file holds.
Status readTransposed(const StoredTensor &tensor, int64_t rows, int64_t columns, int64_t first,
                      plan::ElementType type, std::span<std::byte> out);

/// An element of a state as an f32.
float loadElement(plan::ElementType type, const std::byte *from);

/// A value of a state's element type from the f32 it stands for (bf16, f16: rounded to nearest even).
void storeElement(plan::ElementType type, float value, std::byte *to);

/// Elements times `factor`, in f32.
std::vector<std::byte> multiplied(plan::ElementType type, std::span<const std::byte> in, double factor);

} // namespace windlass
