// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Enums.h - what the plan's closed enums say ============================//
//
// Duty: the words of every enum (Words.h), and sizes of the element types.
// Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/Words.h"

namespace windlass::plan {

/// Bytes of one element.
int64_t bytesOf(ElementType type);
/// Of types without a fixed number the least.
int64_t bytesOf(StoredType type);

} // namespace windlass::plan
