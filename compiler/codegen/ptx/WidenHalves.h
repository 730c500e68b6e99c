// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WidenHalves.h - arithmetic on f16 as arithmetic on f32 ================//
//
// Duty: LLVM's optimiser computes in f16 what is widened, computed and rounded again, since
// the bits are equal. What a device then runs on pairs of f16, its assembler may contract,
// as it did pairs of f32; here such operations become what they were. The switch of LLVM's
// backend is one of the whole process, and the linker of the other kernel files resets it.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace windlass::codegen {

/// Operations, functions and comparisons; what moves f16 about stays.
void widenHalves(llvm::Module &module);

} // namespace windlass::codegen
