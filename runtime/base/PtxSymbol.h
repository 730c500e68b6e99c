// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxSymbol.h - what a kernel's phase is called in PTX ==================//
//
// Duty: the name of the code of a kernel's phase in a file for GPUs, for who writes it (compiler/codegen) and
// who looks it up. Phase 1 of "k" is "k.1", and so on; "_$_" stands for a full stop, which no name in PTX
// has.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>

namespace windlass {

inline std::string ptxSymbol(const std::string &kernel, size_t phase) {
  std::string symbol;
  for (const char c : phase == 0 ? kernel : kernel + "." + std::to_string(phase))
    symbol += c == '.' ? std::string("_$_") : std::string(1, c);
  return symbol;
}

} // namespace windlass
