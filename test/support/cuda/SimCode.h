// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimCode.h - the kernels of a simulated device =========================//
//
// Duty: the interface behind which the code of a module runs. The code is functions of the host by name
// (SimHostCode), or an image that is executed (SimPtxCode.h).
// Threads: runs on the device's only thread.
// Errors: an error of `run` begins with the fault: "out of bounds", "unwritten memory", "endless" for a
// kernel that never ends, or another fault of the code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "test/support/cuda/SimClocks.h"
#include "test/support/cuda/SimMemory.h"
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::test {

/// The place of a parameter in the bytes of a launch.
struct SimParameter {
  uint64_t offset = 0, bytes = 0;
};

/// A kernel of a module.
struct SimEntry {
  std::string name;
  std::vector<SimParameter> parameters;
  unsigned threads = 0; ///< that a block must have; 0: any number

  uint64_t parameterBytes() const {
    return parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes;
  }
};

struct SimLaunch {
  unsigned blocks = 0, threads = 0, sharedBytes = 0;
  std::span<const std::byte> parameters; ///< laid out as the entry says
};

class SimCode {
public:
  virtual ~SimCode() = default;
  /// Returns null if the module has no such kernel.
  virtual const SimEntry *find(std::string_view name) const = 0;
  /// Runs a launch, and returns its accesses.
  virtual Result<std::vector<SimAccess>> run(const SimEntry &entry, const SimLaunch &launch,
                                             std::span<const SimRegion> memory) const = 0;
};

/// Makes the code of a module from an image. An error stands for the log of the driver's compiler.
using SimLoader = std::function<Result<std::unique_ptr<SimCode>>(std::string_view image)>;

/// A launch, as the function of the host sees it that stands for the kernel.
class SimOperands {
public:
  SimOperands(const SimEntry &entry, const SimLaunch &launch, std::span<const SimRegion> memory)
      : entry(entry), launch(launch), memory(memory) {}

  unsigned blocks() const { return launch.blocks; }
  /// A parameter of 8 bytes.
  uint64_t operator[](size_t parameter) const;
  /// Bytes of the device. Returns null, and records a fault, if they are no part of one allocation, or if
  /// some of the bytes to read were never written.
  const std::byte *read(uint64_t address, uint64_t bytes);
  std::byte *write(uint64_t address, uint64_t bytes);

  /// Records another fault of the code: "race in block".
  void fail(const std::string &what) { failure = Status::runFailed(what); }

  const Status &fault() const { return failure; }
  std::vector<SimAccess> takeAccesses() { return std::move(accesses); }

private:
  std::byte *touch(uint64_t address, uint64_t bytes, bool writes);

  const SimEntry &entry;
  const SimLaunch &launch;
  std::span<const SimRegion> memory;
  std::vector<SimAccess> accesses;
  Status failure;
};

/// Kernels that are functions of the host. Only the names in the image count.
class SimHostCode final : public SimCode {
public:
  struct Function {
    size_t parameters = 0; ///< of 8 bytes each
    std::function<void(SimOperands &)> run;
  };
  using Functions = std::map<std::string, Function, std::less<>>;

  /// Takes the functions that the image names as ".entry NAME(".
  static SimLoader loader(Functions functions);

  const SimEntry *find(std::string_view name) const override;
  Result<std::vector<SimAccess>> run(const SimEntry &entry, const SimLaunch &launch,
                                     std::span<const SimRegion> memory) const override;

private:
  struct Held {
    SimEntry entry;
    std::function<void(SimOperands &)> run;
  };
  std::map<std::string, Held, std::less<>> held;
};

} // namespace windlass::test
