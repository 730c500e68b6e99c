// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OptimizeLlvm.h - LLVM's optimiser with nothing that may change bits ===//
//
// Duty: makes a target's machine, which fuses no operations; runs O2 without the vectorisers, the
// loops being vectors already, and without knowledge of a C library, so that no loop becomes
// memcpy, memset or a call to libm; then writes the target's code or its text. Threads: different
// modules may be optimised at once.
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

/// A machine of a target that was initialised; null where LLVM has none of this triple and processor.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(llvm::StringRef triple, llvm::StringRef cpu,
                                                         llvm::StringRef features);

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// What the target makes of a module, an object file or assembly; empty where it cannot write that.
std::string writeModule(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

} // namespace windlass::codegen
