// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxReader.h - PTX text becomes a module ===============================//
//
// Duty: reads the PTX that LLVM writes of generated kernels. Opcodes are known by their
// whole text with every modifier; operands must have the widths that the table says.
// Whatever else PTX may say is refused, not guessed.
// Errors: bad input, naming the line. Threads: pure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "test/support/ptx/PtxModule.h"

namespace windlass::ptx {

Result<Module> load(std::string_view text);

} // namespace windlass::ptx
