// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Register.h - the one list of passes and pipelines =====================//
//
// Duty: makes every pass and named pipeline known to command lines. Called once,
// before any command line is read.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass {

void registerPasses();

} // namespace windlass
