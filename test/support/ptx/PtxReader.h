// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxReader.h - reads PTX text into a module ============================//
//
// Duty: reads the PTX that LLVM writes for generated kernels. An opcode is known by its whole text with every
// modifier; operands must have the widths of the table. Hints to an assembler are skipped; all other PTX is
// refused.
// Errors: bad input, with the line. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

Result<Module> load(std::string_view text);

} // namespace windlass::ptx
