// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxAssembler.h - runs NVIDIA's assembler ==============================//
//
// Duty: runs NVIDIA's ptxas, which a test may use and never needs, from the PATH or from the folder of the
// toolkit. Accepts release 12.0 and later, since older ones do not know all of the PTX that Windlass writes.
// Shows the machine code by nvdisasm if that is installed beside it. Errors: run failed, with the output of
// the assembler. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace windlass::ptx {

/// The resources of one kernel, as the assembler reports them.
struct Assembled {
  std::string kernel;
  int registers = 0, stackBytes = 0, spillBytes = 0, sharedBytes = 0;
};

class PtxAssembler {
public:
  /// Error: cannot fit, if no ptxas is installed.
  static Result<PtxAssembler> find();

  /// Whether the assembler knows a device, such as sm_103.
  bool knows(const std::string &device) const;
  Result<std::vector<Assembled>> assemble(const std::string &text, const std::string &device) const;
  /// The instructions of the device. Error: cannot fit, if no nvdisasm is installed.
  Result<std::string> disassemble(const std::string &text, const std::string &device) const;

private:
  std::string path, options;
};

} // namespace windlass::ptx
