// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxAssembler.h - runs NVIDIA's assembler ==============================//
//
// Duty: runs NVIDIA's ptxas where one is installed, which a test may use and never needs:
// on the PATH, or where the toolkit puts it. From 12.0 on; older ones do not know what is
// written here. Shows what it made by nvdisasm, where that is installed, too. Errors: run
// failed, with what the assembler said. Threads: pure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace windlass::ptx {

/// What the assembler made of one kernel.
struct Assembled {
  std::string kernel;
  int registers = 0, stackBytes = 0, spillBytes = 0, sharedBytes = 0;
};

class PtxAssembler {
public:
  /// Cannot fit where there is none, saying so.
  static Result<PtxAssembler> find();

  /// Whether it knows a device, such as sm_103.
  bool knows(const std::string &device) const;
  Result<std::vector<Assembled>> assemble(const std::string &text, const std::string &device) const;
  /// The device's own instructions. Cannot fit where there is no disassembler, saying so.
  Result<std::string> disassemble(const std::string &text, const std::string &device) const;

private:
  std::string path, options;
};

} // namespace windlass::ptx
