// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SyntheticParts.h - buffers and kernels of a synthetic plan ============//
//
// Duty: the base of the builders of SyntheticPlan.cpp and PipelinePlan.cpp: a plan under construction. The
// first use of a buffer or kernel makes it.
// Units: bytes and elements.
// Threads: one per builder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <map>
#include <string>

namespace windlass::test {

class SyntheticParts {
protected:
  explicit SyntheticParts(int64_t scratchBytes) : scratchBytes(scratchBytes) {}

  using Operand = plan::Operand;
  using ElementType = plan::ElementType;

  //===--- buffers ------------------------------------------------------===//

  /// All bytes of a named buffer. The first use makes the buffer.
  Operand buffer(const std::string &name, plan::BufferClass cls, plan::Tier tier, int64_t bytes,
                 bool persistent = false, int64_t owner = plan::kEveryRank);
  Operand device(const std::string &name, plan::BufferClass cls, int64_t bytes,
                 int64_t owner = plan::kEveryRank) {
    return buffer(name, cls, plan::Tier::Device, bytes, false, owner);
  }
  Operand host(const std::string &name, plan::BufferClass cls, int64_t bytes,
               int64_t owner = plan::kEveryRank) {
    return buffer(name, cls, plan::Tier::Host, bytes, false, owner);
  }
  static Operand firstBytes(Operand operand, int64_t bytes) {
    operand.bytes = bytes;
    return operand;
  }

  //===--- instructions -------------------------------------------------===//

  plan::Instruction &add(plan::Opcode op, plan::Lane lane, const std::string &what,
                         std::vector<Operand> operands);
  void copy(plan::Opcode op, plan::Lane lane, const std::string &what, Operand from, Operand to);
  plan::Instruction &collective(plan::Opcode op, const std::string &what, Operand shard, Operand gathered,
                                int64_t pieceBytes, ElementType type = ElementType::F32);
  void feed(const std::string &item, Operand fed, Operand uploaded);
  void report(const std::string &item, Operand from);

  //===--- launches -----------------------------------------------------===//

  struct Extents {
    int64_t m, n, k;
    bool transposeA = false, transposeB = false, accumulate = false;
    ElementType a = ElementType::F32, b = ElementType::F32, c = ElementType::F32;
  };
  void matmul(const std::string &what, const Extents &extents, Operand a, Operand b, Operand c);
  /// Launches a generated kernel that writes its last operand and reads the others. `chunked`: the kernel
  /// accepts operands of any size.
  void generated(const std::string &symbol, const std::string &what, std::vector<Operand> operands,
                 int64_t elements, bool chunked);

  /// Continues with another program, which has buffers of its own.
  void beginProgram(plan::Program &next);

  plan::Plan plan;
  plan::Program *program = &plan.programs.front();
  plan::Section *section = nullptr;
  std::string function;
  plan::Phase phase = plan::Phase::Forward;
  int64_t microBatch = 0; ///< of instructions, counted from the first of the run of their section

private:
  /// The index of a kernel. `make` describes the kernel at its first use.
  template <typename Make> int32_t kernel(const std::string &key, Make make) {
    auto [at, isNew] = kernelOf.try_emplace(key, static_cast<int32_t>(plan.kernels.size()));
    if (isNew)
      plan.kernels.push_back(make());
    return at->second;
  }
  void launch(int32_t kernel, const std::string &what, std::vector<Operand> operands, int64_t end);

  int64_t scratchBytes;
  std::map<std::string, uint32_t> bufferOf;
  std::map<std::string, int32_t> kernelOf;
};

} // namespace windlass::test
