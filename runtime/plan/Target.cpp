// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Target.h"
#include <algorithm>

namespace windlass::plan {

namespace {

/// The release whose scratch the rules were read from and are tested against.
constexpr const char *kLibrary = "oneDNN", *kVersion = "2.6";
/// The oldest of the releases that are looked for (runtime/cuda/BlasLt.h).
constexpr const char *kDeviceLibrary = "cuBLASLt", *kDeviceVersion = "12";
/// Numbers the orders in which the reference has added up.
constexpr const char *kReferenceVersion = "1";

constexpr TargetRow kRows[] = {
#define WINDLASS_TARGET(Name, Code, Library, Scratch) {Name, Code, LibraryIsa::Library, ScratchRule::Scratch},
#include "runtime/plan/Targets.def"
};

} // namespace

std::span<const TargetRow> targetRows() { return kRows; }

const TargetRow *findTarget(std::string_view cpu) {
  const auto *row = std::ranges::find(kRows, cpu, &TargetRow::cpu);
  return row == std::end(kRows) ? nullptr : row;
}

std::string targetNames() {
  std::string names;
  for (const TargetRow &row : kRows)
    names += (names.empty() ? "'" : " or '") + std::string(row.cpu) + "'";
  return names;
}

Result<Target> targetNamed(std::string_view cpu) {
  const TargetRow *row = findTarget(cpu);
  if (!row)
    return Status::badInput("target cpu '" + std::string(cpu) + "' is unknown: plans are made for " +
                            targetNames());
  return Target{std::string(cpu), kLibrary, kVersion, row->scratch, {}};
}

Target multipliedByReference(Target target) {
  target.library = Target::kReferenceMatmul;
  target.version = kReferenceVersion;
  target.scratch = ScratchRule::None;
  return target;
}

Target multipliedByCublasLt(Target target) {
  target.library = kDeviceLibrary;
  target.version = kDeviceVersion;
  target.scratch = ScratchRule::Workspace;
  return target;
}

} // namespace windlass::plan
