// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceRunner.h - runs one kernel by both endings of code generation ===//
//
// Duty: kernels from MLIR text, as the shared object that this machine runs and as the PTX
// that a device runs; operands drawn from a seed; both executed on them, the PTX in the
// machine of the tests; and the bits of the results compared, of which NaNs are equal.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/DeviceGrid.h"
#include "test/compiler/codegen/KernelRunner.h"
#include "test/support/ptx/PtxModule.h"

#include <map>

namespace windlass::codegen::test {

/// An argument or result of a kernel.
struct OperandType {
  std::string element; ///< as MLIR writes it: f32, bf16, i1
  int64_t elements;
};

struct DeviceRun {
  int64_t begin = 0, end = 0;
  uint64_t seed = 0;               ///< of the schedule
  int64_t elements = 0;            ///< of every operand on one dimension, where it is not what the type says
  std::map<int, int> inPlace = {}; ///< a result, and the argument whose buffer it has
};

class DeviceKernels {
public:
  /// Fails the test, and gives null, where either cannot be made.
  static std::unique_ptr<DeviceKernels> compile(const std::string &mlir);

  /// What differs between the two, or what the machine found; empty if nothing.
  std::string differs(const std::string &kernel, const DeviceRun &run) const;

  const std::string &ptx() const { return text; }
  /// Another text in place of the one that was made; what the reader says of it, if it refuses it.
  std::string replace(const std::string &ptx);
  const DeviceGrid &grid(const std::string &kernel) const { return entries.at(kernel).grid; }

private:
  struct Entry {
    std::vector<OperandType> operands; ///< arguments, then results
    size_t arguments;
    DeviceGrid grid;
  };

  std::unique_ptr<Kernels> host;
  std::string text;
  ptx::Module module;
  std::map<std::string, Entry> entries;
};

/// What the device's ending says of kernels that it refuses; empty if it makes them.
std::string refusedByDevice(const std::string &mlir);

} // namespace windlass::codegen::test
