// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceRunner.h - runs a kernel as device code and as host code ========//
//
// Duty: compiles kernels from MLIR text to PTX. Runs a kernel of the PTX in the machine of test/support/ptx,
// on the operands of a call of the shared object, and compares the results of both bit by bit, except that
// all NaNs are equal. Draws operands, the same in every run.
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

/// A call of a kernel. Equal pointers stand for one buffer.
struct DeviceCall {
  std::string kernel;
  std::vector<void *> operands; ///< arguments, then results
  int64_t begin = 0, end = 0;
};

/// Whether all sums run in one launch, or in two launches where graph::partialBytes plans two.
enum class Launches { One, AsPlanned };

/// The bytes of each operand of a call.
using OperandBytes = std::vector<std::vector<uint8_t>>;

/// The kernels of a module as PTX.
class DeviceProgram {
public:
  struct Entry {
    std::vector<OperandType> operands; ///< arguments, then results
    size_t arguments;
    bool isFlat; ///< whether the kernel is a map on one dimension, which runs on any length
    std::vector<DeviceGrid> phases;
    std::vector<int64_t> partialBytes; ///< of the operands for partial sums, if there are several phases
  };

  /// Returns null, and the diagnostics in `refusal`, if no code can be generated.
  static std::unique_ptr<DeviceProgram> compile(const std::string &mlir, std::string &refusal,
                                                Launches launches = Launches::AsPlanned);

  const std::string &ptx() const { return text; }
  /// Replaces the PTX by another text. Returns the error of the reader; empty if it accepts the text.
  std::string replace(const std::string &ptx);
  const Entry &entry(const std::string &kernel) const { return entries.at(kernel); }

  /// The present bytes of the operands.
  OperandBytes bytesOf(const DeviceCall &call) const;
  /// Runs a kernel on the operands as they were `before` the call of the shared object, and compares its
  /// results with the present operands of the call. Returns the first difference, or the error of the
  /// machine; empty if there is none.
  std::string differs(const DeviceCall &call, const OperandBytes &before, uint64_t seed) const;

  /// The number of entry functions: one for each phase of each kernel.
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
  uint64_t seed = 0;               ///< of the machine's schedule
  int64_t elements = 0;            ///< length of the operands of a map on one dimension, if it exceeds `end`
  std::map<int, int> inPlace = {}; ///< result -> argument whose buffer the result shares
  bool isTame = false;             ///< draws ordinary numbers only; in sums, a NaN would hide differences
};

/// The kernels of a module as device code and as host code.
class DeviceKernels {
public:
  /// Fails the test and returns null if one of the two codes cannot be generated.
  static std::unique_ptr<DeviceKernels> compile(const std::string &mlir,
                                                Launches launches = Launches::AsPlanned);

  /// Draws operands, calls the kernel on the host, and compares as DeviceProgram::differs does.
  std::string differs(const std::string &kernel, const DeviceRun &run) const;

  const std::string &ptx() const { return program->ptx(); }
  std::string replace(const std::string &ptx) { return program->replace(ptx); }
  /// The number of elements of the kernel's largest operand.
  int64_t largestOperand(const std::string &kernel) const;
  const std::vector<DeviceGrid> &phases(const std::string &kernel) const {
    return program->entry(kernel).phases;
  }
  size_t entryPoints() const { return program->entryPoints(); }

private:
  std::unique_ptr<Kernels> host;
  std::unique_ptr<DeviceProgram> program;
};

/// The error of generating device code; empty if the code can be generated.
std::string refusedByDevice(const std::string &mlir);

} // namespace windlass::codegen::test
