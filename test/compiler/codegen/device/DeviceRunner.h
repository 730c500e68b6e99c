// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceRunner.h - runs one kernel by both endings of code generation ===//
//
// Duty: kernels from MLIR text as the PTX that a device runs; executes it in the machine of
// the tests on the operands of a call of the shared object, and compares what the two wrote,
// bit by bit, of which NaNs are equal; draws such operands from a seed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceGrid.h"
#include "runtime/base/Status.h"
#include "test/compiler/codegen/KernelRunner.h"
#include "test/support/ptx/PtxMemory.h"
#include "test/support/ptx/PtxModule.h"

#include <map>
#include <span>

namespace windlass::codegen::test {

/// An argument or result of a kernel.
struct OperandType {
  std::string element; ///< as MLIR writes it: f32, bf16, i1
  int64_t elements;
  int64_t bytes() const;
};

/// What a call of a kernel is given. Equal pointers are one buffer.
struct DeviceCall {
  std::string kernel;
  std::vector<void *> operands; ///< arguments, then results
  int64_t begin = 0, end = 0;
};

/// In how many launches a device makes sums that it may make in two (graph::partialBytes).
enum class Launches { One, AsPlanned };

/// The bytes of a call's operands.
using OperandBytes = std::vector<std::vector<uint8_t>>;

/// Kernels as PTX.
class DeviceProgram {
public:
  struct Entry {
    std::vector<OperandType> operands; ///< arguments, then results
    size_t arguments;
    bool isFlat; ///< a map on one dimension, which may have any length
    std::vector<DeviceGrid> phases;
    std::vector<int64_t> partialBytes; ///< of further operands, where there are several phases
  };

  /// Null, with what is said of it, where no code can be made.
  static std::unique_ptr<DeviceProgram> compile(const std::string &mlir, std::string &refusal,
                                                Launches launches = Launches::AsPlanned);

  const std::string &ptx() const { return text; }
  /// Another text in place of the one that was made; what the reader says of it, if it refuses it.
  std::string replace(const std::string &ptx);
  const Entry &entry(const std::string &kernel) const { return entries.at(kernel); }

  /// The operands as they are now.
  OperandBytes bytesOf(const DeviceCall &call) const;
  /// Runs a kernel on operands as they were before the shared object's did. What differs between the two, or
  /// what the machine found; empty if nothing.
  std::string differs(const DeviceCall &call, const OperandBytes &before, uint64_t seed) const;

  /// Functions that launches begin with.
  size_t entryPoints() const { return module.kernels.size(); }

private:
  std::vector<OperandType> operandsOf(const DeviceCall &call) const;
  Status run(const DeviceCall &call, std::vector<uint64_t> parameters, const ptx::Allocations &memory,
             std::span<const uint64_t> variables, uint64_t seed) const;

  std::string text;
  ptx::Module module;
  std::map<std::string, Entry> entries;
};

struct DeviceRun {
  int64_t begin = 0, end = 0;
  uint64_t seed = 0;               ///< of the schedule
  int64_t elements = 0;            ///< of the operands of a map on one dimension, if more than the range has
  std::map<int, int> inPlace = {}; ///< a result, and the argument whose buffer it has
  bool isTame = false;             ///< ordinary numbers alone, of which sums hide nothing
};

/// Kernels by both endings.
class DeviceKernels {
public:
  /// Fails the test, and gives null, where either cannot be made.
  static std::unique_ptr<DeviceKernels> compile(const std::string &mlir,
                                                Launches launches = Launches::AsPlanned);

  /// The same of a call on drawn operands.
  std::string differs(const std::string &kernel, const DeviceRun &run) const;

  const std::string &ptx() const { return program->ptx(); }
  std::string replace(const std::string &ptx) { return program->replace(ptx); }
  /// Elements of the kernel's operand that has most.
  int64_t largestOperand(const std::string &kernel) const;
  const std::vector<DeviceGrid> &phases(const std::string &kernel) const {
    return program->entry(kernel).phases;
  }
  size_t entryPoints() const { return program->entryPoints(); }

private:
  std::unique_ptr<Kernels> host;
  std::unique_ptr<DeviceProgram> program;
};

/// What the device's ending says of kernels that it refuses; empty if it makes them.
std::string refusedByDevice(const std::string &mlir);

} // namespace windlass::codegen::test
