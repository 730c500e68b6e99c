// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Target.h - what a plan's code may run on ==============================//
//
// Duty: the target of a plan as a value, and the table of all targets (Targets.def). What a plan is depends
// on its target by this record alone: nothing of it is asked of the machine that compiles. Errors: BadInput
// naming a word that is no target. Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Cases.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::plan {

struct Target {
  std::string cpu;                         ///< instruction set of the host: "x86-64-v3"; empty: any
  std::string library;                     ///< what multiplies matrices: "oneDNN"
  std::string version;                     ///< of it, for which the rule of its scratch holds: "2.6"
  ScratchRule scratch = ScratchRule::None; ///< how much the library may ask for
  std::vector<std::string> whole;          ///< ops that a library runs whole, though they are several kernels

  bool operator==(const Target &) const = default;

  /// Whether no library multiplies, but the sums of products that every backend makes alike
  /// (runtime/kernels/ReferenceMatmul.h).
  bool multipliesByReference() const { return library == kReferenceMatmul; }
  static constexpr std::string_view kReferenceMatmul = "reference";
};

/// The most that the matmul library uses.
enum class LibraryIsa : uint8_t { Avx2, Avx512, Avx512Bf16 };

/// A row of Targets.def.
struct TargetRow {
  std::string_view cpu, code;
  LibraryIsa library;
  ScratchRule scratch;
};

/// Narrower ones first.
std::span<const TargetRow> targetRows();
/// None: no such target.
const TargetRow *findTarget(std::string_view cpu);
/// "'x86-64-v3' or 'x86-64-v4'": all of them, for messages.
std::string targetNames();
/// The record of a target by its name.
Result<Target> targetNamed(std::string_view cpu);
/// The same target where no library multiplies.
Target multipliedByReference(Target target);
/// The same target of a host whose device is an NVIDIA GPU, and multiplies by NVIDIA's library.
Target multipliedByCublasLt(Target target);

} // namespace windlass::plan
