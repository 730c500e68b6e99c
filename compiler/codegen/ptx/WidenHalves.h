// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WidenHalves.h - arithmetic on f16 as arithmetic on f32 ================//
//
// Duty: replaces arithmetic on f16 by the same arithmetic on f32 between conversions. LLVM's optimiser
// computes in f16 what was widened to f32, computed and rounded again, since the bits are equal. But a device
// runs f16 in pairs, and its assembler may contract arithmetic on pairs (a product and a sum with one
// rounding), which changes bits. LLVM has an option that keeps its backend from this, but the option is
// global to the process, and linking other kernel files resets it.
// Threads: a module has one owner.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace windlass::codegen {

/// Rewrites operations, intrinsics and comparisons on f16. Loads, stores and other moves of f16 stay.
void widenHalves(llvm::Module &module);

} // namespace windlass::codegen
