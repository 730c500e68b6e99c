// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatmulScratch.h - the scratch that a plan grants a matmul =============//
//
// Duty: bytes of scratch that suffice for a matmul on every machine of a target, from the spec alone: no
// library is asked, so that a plan is the same wherever it is compiled. Where a library asks for more when a
// plan is loaded, the plan is refused (KernelLibrary). Units: bytes. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/MatmulParts.h"
#include "runtime/plan/Target.h"
#include <cstdint>

namespace windlass {

/// What the library asks for at most for one part of a matmul of f32, or of bf16 that it multiplies itself.
int64_t libraryScratchBytes(const MatmulPart &part, plan::ScratchRule rule);

/// What a launch needs at most, cut for so many threads: the library's, panels and widened operands.
int64_t matmulScratchBytes(const plan::MatmulSpec &spec, int64_t threads, const plan::TargetRow &target);

} // namespace windlass
