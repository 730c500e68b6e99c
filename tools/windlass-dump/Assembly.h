// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Assembly.h - register counts of a plan's GPU code =====================//
//
// Duty: reads the output of `ptxas -v` for a plan's GPU code: the registers of each kernel on a device, and
// its spilled bytes. A plan does not have these; they need an assembler. Errors: BadInput if a text names no
// kernel. Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <map>
#include <string>

namespace windlass::dump {

/// The registers of one phase of a kernel.
struct Assembled {
  std::string device; ///< "sm_90"
  int64_t registers = 0, stackBytes = 0, spilledBytes = 0;
};

/// By symbol: "k", and "k.1" for its second phase.
using Assembly = std::map<std::string, Assembled>;

/// Reads an output of ptxas; `name`: of the text, in messages.
Result<Assembly> readAssembly(const std::string &text, const std::string &name);

} // namespace windlass::dump
