// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OptimizeLlvm.h - LLVM's optimiser with nothing that may change bits ===//
//
// Duty: creates an LLVM target machine that fuses no operations; runs O2 without the vectorisers (loops are
// vectors already) and without a C library, so that no loop becomes memcpy, memset or a call to libm; and
// writes object code or assembly. Threads: different modules may be optimised at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace windlass::codegen {

/// A target machine of an initialised target; null if LLVM has none for this triple and processor.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(llvm::StringRef triple, llvm::StringRef cpu,
                                                         llvm::StringRef features);

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// The object file or assembly of a module; empty if the target cannot write it.
std::string writeModule(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

} // namespace windlass::codegen
