// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelRunner.h - compiles kernels from text and calls them ============//
//
// Duty: the tools of tests of generated code. Compiles MLIR text to a shared object, calls its kernels, and
// provides buffers that detect writes past their end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/Codegen.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace windlass::codegen::test {

/// Observes every call of a module's kernels.
class KernelWitness {
public:
  virtual ~KernelWitness() = default;
  /// Called before a kernel runs. The function that it returns is called after the kernel.
  virtual std::function<void()> watch(const char *kernel, const std::vector<void *> &args, int64_t begin,
                                      int64_t end) = 0;
};

/// The witness of a module, or null. A test program links one of two definitions: NoWitness.cpp or
/// device/DeviceWitness.cpp.
std::unique_ptr<KernelWitness> makeWitness(const std::string &mlir);

/// A shared object with all functions of a module. compile() returns null and sets `error` if it fails. An
/// empty `cpu` stands for the last of runnableCpus().
class Kernels {
public:
  static std::unique_ptr<Kernels> compile(const std::string &mlir, const std::string &cpu, std::string &error,
                                          const KnownObjects &known = {});
  ~Kernels();

  void run(const char *name, std::vector<void *> args, int64_t begin, int64_t end) const;
  /// Calls the function of one phase of a kernel. The witness does not see the call, as devices have another
  /// function for the phase.
  void runPhase(const char *name, std::vector<void *> args, int64_t begin, int64_t end) const;
  int64_t constant(const char *name) const;
  const std::string &path() const { return file; }

private:
  std::string file;
  void *handle = nullptr;
  std::unique_ptr<KernelWitness> witness;
};

/// Compiles as Kernels::compile() does, and fails the test on an error.
std::unique_ptr<Kernels> compile(const std::string &mlir, const std::string &cpu = "",
                                 const KnownObjects &known = {});

/// The instruction sets for which this machine can test kernels, the largest last.
std::vector<std::string> runnableCpus();

/// Returns "EXTENT FLOPS BYTES" of the first function, or the error.
std::string describe(const std::string &mlir);

/// Memory that is aligned as the buffers of an arena are. The destructor fails the test if a byte past the
/// end was written.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t size) : count(size), guarded(size + kGuard) {
    data_ = static_cast<T *>(std::aligned_alloc(64, (guarded * sizeof(T) + 63) / 64 * 64));
    std::memset(static_cast<void *>(data_), 0x5a, guarded * sizeof(T));
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() {
    for (size_t i = count * sizeof(T); i < guarded * sizeof(T); ++i)
      if (reinterpret_cast<unsigned char *>(data_)[i] != 0x5a) {
        ADD_FAILURE() << "byte " << i - count * sizeof(T) << " past the end was written";
        break;
      }
    std::free(data_);
  }

  Buffer &fill(uint32_t seed, double low = -2, double high = 2) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> draw(low, high);
    for (size_t i = 0; i < count; ++i)
      data_[i] = static_cast<T>(draw(random));
    return *this;
  }
  Buffer &set(T value) {
    for (size_t i = 0; i < count; ++i)
      data_[i] = value;
    return *this;
  }
  Buffer &copy(const Buffer &from) {
    std::memcpy(data_, from.data_, count * sizeof(T));
    return *this;
  }

  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  operator void *() { return data_; }
  size_t size() const { return count; }
  bool sameBits(const Buffer &other) const { return std::memcmp(data_, other.data_, count * sizeof(T)) == 0; }

private:
  static constexpr size_t kGuard = 64;
  size_t count, guarded;
  T *data_;
};

} // namespace windlass::codegen::test
