// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <map>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

/// The launches of a kernel, and the most bytes of their scratch.
struct Users {
  std::map<Lane, int64_t> launches; ///< instructions by lane
  int64_t scratchBytes = 0;
};

std::vector<Users> usersOf(const Plan &plan) {
  std::vector<Users> users(plan.kernels.size());
  forEachInstruction(plan, [&](const Instruction &instruction) {
    if (instruction.op != Opcode::Launch)
      return;
    Users &user = users[static_cast<size_t>(instruction.kernel)];
    ++user.launches[instruction.lane];
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      if (accessOf(plan, instruction, i) == Access::Scratch)
        user.scratchBytes = std::max(user.scratchBytes, instruction.operands[i].bytes);
  });
  return users;
}

/// "12 blocks of 256 threads that share 4.00 KiB"
std::string gridText(const LaunchGrid &grid, int64_t extent) {
  const int64_t blocks = ((extent - 1) / grid.perBlock + 1) * grid.across;
  return counted(blocks, "block") + " of " + counted(grid.threads, "thread") +
         (grid.sharedBytes > 0 ? " that share " + formatBytes(grid.sharedBytes) : "");
}

/// ", 40 registers on sm_90"
std::string registersText(const Assembly &assembly, const std::string &symbol) {
  const auto found = assembly.find(symbol);
  if (found == assembly.end())
    return ", registers unknown";
  const Assembled &of = found->second;
  return ", " + counted(of.registers, "register") + " on " + of.device +
         (of.stackBytes > 0 ? ", " + formatBytes(of.stackBytes) + " of stack" : "") +
         (of.spilledBytes > 0 ? ", " + formatBytes(of.spilledBytes) + " spilled" : "");
}

std::string matmulText(const MatmulSpec &spec) {
  const auto matrix = [](int64_t rows, int64_t columns, ElementType type) {
    return std::to_string(rows) + "x" + std::to_string(columns) + " " + std::string(textOf(type));
  };
  const auto stored = [](bool isTransposed, const StoredMatrix &as) {
    std::string text = isTransposed ? ", stored transposed" : "";
    if (as.pitch != as.columns)
      text += ", rows " + std::to_string(as.pitch) + " apart";
    return text.empty() ? text : text + ",";
  };
  std::string into = spec.accumulate ? " added to " : " into ";
  into += textOf(spec.c);
  if (const StoredMatrix c = spec.storedC(); c.pitch != c.columns)
    into += ", rows " + std::to_string(c.pitch) + " apart";
  return (spec.batch > 1 ? std::to_string(spec.batch) + " times " : "") + matrix(spec.m, spec.k, spec.a) +
         stored(spec.transposeA, spec.storedA()) + " by " + matrix(spec.k, spec.n, spec.b) +
         stored(spec.transposeB, spec.storedB()) + into;
}

void addKernel(std::string &text, const Kernel &kernel, size_t number, const Users &users,
               const Assembly &assembly) {
  text += "kernel " + std::to_string(number) + " " + kernel.symbol + ": " + kernel.description;
  for (const auto &[lane, count] : users.launches)
    text += ", " + counted(count, "launch") + " on " + std::string(textOf(lane));
  text += "\n  " + formatCount(static_cast<int64_t>(kernel.flops)) + " FLOP and " +
          formatBytes(static_cast<int64_t>(kernel.bytes)) + " a launch of [0, " +
          std::to_string(kernel.extent) + ")\n";
  if (kernel.kind == KernelKind::Matmul)
    text += "  " + matmulText(kernel.matmul) + "\n";
  for (size_t phase = 0; phase < kernel.phases.size(); ++phase)
    text +=
        "  phase " + std::to_string(phase) + ": " + gridText(kernel.phases[phase], kernel.extent) +
        registersText(assembly, phase == 0 ? kernel.symbol : kernel.symbol + "." + std::to_string(phase)) +
        "\n";
  if (users.scratchBytes > 0)
    text += "  workspace: " + formatBytes(users.scratchBytes) + "\n";
}

std::string codeText(const Plan &plan) {
  std::string text;
  for (const KernelFile &file : plan.kernelFiles)
    text += file.name + " for " + file.target + ", ";
  return text;
}

} // namespace

std::string kernels(const plan::Plan &plan, const Assembly &assembly) {
  std::string text = codeText(plan) + "matmuls by " + plan.target.library + " " + plan.target.version + "\n";
  const std::vector<Users> users = usersOf(plan);
  for (size_t number = 0; number < plan.kernels.size(); ++number)
    addKernel(text, plan.kernels[number], number, users[number], assembly);
  return text;
}

} // namespace windlass::dump
