// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionName.h - how messages call an instruction ==================//
//
// Duty: one spelling of an instruction for people: lane, ordinal, origin.
// Threads: pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <string>

namespace windlass::plan {

/// "compute 12 (matmul, h.0, forward)", "gg 3 (all_gather c_attn.weight, h.1, forward)".
std::string nameOf(const Instruction &instruction, uint32_t ordinal);

} // namespace windlass::plan
