// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InterpretPass.h - runs a module and prints its results ================//
//
// Duty: the pass `interpret`, for tests of the IR that compare values.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass {

/// Registers `interpret`. Called once, before any command line is read.
void registerInterpretPass();

} // namespace windlass
