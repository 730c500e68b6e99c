// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/InstructionSet.h"
#include "runtime/plan/Target.h"
#include <oneapi/dnnl/dnnl.h>

namespace windlass {

bool cpuSupports(std::string_view target) {
  __builtin_cpu_init();
  if (target == "x86-64-v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  if (target == "x86-64-v4")
    return cpuSupports("x86-64-v3") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (target == "x86-64-v4-bf16") // the library asks for both before it uses the second
    return cpuSupports("x86-64-v4") && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("avx512bf16");
  return false;
}

std::string widestTarget() {
  std::string_view widest = plan::targetRows().front().cpu;
  for (const plan::TargetRow &row : plan::targetRows())
    if (cpuSupports(row.cpu))
      widest = row.cpu;
  return std::string(widest);
}

Status checkTargetCpu(std::string_view target, bool (*supports)(std::string_view)) {
  if (target.empty() || supports(target))
    return Status::ok();
  return Status::cannotFit("this cpu does not run the plan's kernels: target cpu is '" + std::string(target) +
                           "'");
}

namespace {

dnnl_cpu_isa_t capOf(plan::LibraryIsa library) {
  switch (library) {
  case plan::LibraryIsa::Avx2:
    return dnnl_cpu_isa_avx2;
  case plan::LibraryIsa::Avx512:
    return dnnl_cpu_isa_avx512_core;
  case plan::LibraryIsa::Avx512Bf16:
    return dnnl_cpu_isa_avx512_core_bf16;
  }
  return dnnl_cpu_isa_avx2;
}

} // namespace

Status capLibraryKernels(std::string_view target) {
  if (target.empty())
    return Status::ok();
  const plan::TargetRow *row = plan::findTarget(target);
  const dnnl_cpu_isa_t cap = row ? capOf(row->library) : dnnl_cpu_isa_avx2;
  // Refused once a matmul exists; then what is in use must not exceed the cap already.
  if (dnnl_set_max_cpu_isa(cap) == dnnl_success)
    return Status::ok();
  dnnl_cpu_isa_t used = dnnl_get_effective_cpu_isa();
  if ((used & cap) == used)
    return Status::ok();
  return Status::cannotFit("library kernels of this process already use '" + libraryInstructionSet() +
                           "', the plan's target cpu is '" + std::string(target) + "'");
}

std::string libraryVersion() {
  const dnnl_version_t *version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

std::string libraryInstructionSet() {
  switch (dnnl_get_effective_cpu_isa()) {
  case dnnl_cpu_isa_all:
    return "all";
  case dnnl_cpu_isa_sse41:
    return "sse41";
  case dnnl_cpu_isa_avx:
    return "avx";
  case dnnl_cpu_isa_avx2:
    return "avx2";
  case dnnl_cpu_isa_avx2_vnni:
    return "avx2_vnni";
  case dnnl_cpu_isa_avx512_mic:
    return "avx512_mic";
  case dnnl_cpu_isa_avx512_mic_4ops:
    return "avx512_mic_4ops";
  case dnnl_cpu_isa_avx512_core:
    return "avx512_core";
  case dnnl_cpu_isa_avx512_core_vnni:
    return "avx512_core_vnni";
  case dnnl_cpu_isa_avx512_core_bf16:
    return "avx512_core_bf16";
  default:
    return "avx512_core_amx";
  }
}

Result<std::map<std::string, std::string>> hostNumerics(const plan::Target &target) {
  WINDLASS_TRY(checkTargetCpu(target.cpu));
  WINDLASS_TRY(capLibraryKernels(target.cpu));
  if (target.multipliesByReference() || target.scratch == plan::ScratchRule::Workspace) // not the host's
    return std::map<std::string, std::string>();
  return std::map<std::string, std::string>{{"library", libraryVersion()},
                                            {"library_instruction_set", libraryInstructionSet()}};
}

} // namespace windlass
