// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Assembly.h - what an assembler said of a plan's code ===============//
//
// Duty: reads what `ptxas -v` prints of a plan's code for GPUs: the registers of each kernel on a device, and
// what they do not hold. A plan cannot know that; whoever has an assembler does. Errors: BadInput, where a
// text names no kernel. Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <map>
#include <string>

namespace windlass::dump {

/// Of one phase of a kernel.
struct Assembled {
  std::string device; ///< "sm_90"
  int64_t registers = 0, stackBytes = 0, spilledBytes = 0;
};

/// By symbol: "k", and "k.1" for its second phase.
using Assembly = std::map<std::string, Assembled>;

/// `name`: of the text, in messages.
Result<Assembly> readAssembly(const std::string &text, const std::string &name);

} // namespace windlass::dump
