// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForeignFile.h - files that are no text ================================//
//
// Duty: knows files that people have data in and that would be trained as text, byte by
// byte, though they are none: compressed ones, tables, records, archives.
// Errors: BadInput naming the file, what it is, and what would work.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"

namespace windlass {

/// Refuses what its ending or its first bytes give away.
Status refuseForeign(const File &file);

} // namespace windlass
