// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/KernelLibrary.h"
#include "runtime/base/PieceSymbols.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/KernelRunner.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/KernelSignature.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/KernelFiles.h"
#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <tuple>

namespace windlass {

namespace {

constexpr int64_t kVectorGrain = 64; // elements: generated loops may not be cut inside a vector
constexpr size_t kScratchOperand = 3;

auto keyOf(const plan::MatmulSpec &spec) {
  return std::make_tuple(spec.batch, spec.m, spec.n, spec.k, spec.transposeA, spec.transposeB, spec.a, spec.b,
                         spec.c, spec.accumulate);
}

/// Kernels over plain elements take operands of any size; the others run over rows.
bool isElementwise(const plan::Kernel &kernel) {
  return std::ranges::find(kernel.argBytes, 0) != kernel.argBytes.end();
}

} // namespace

Result<std::unique_ptr<KernelLibrary>> KernelLibrary::load(const plan::Plan &plan, const std::string &folder,
                                                           Serves serves, std::optional<int64_t> threads) {
  auto library = std::make_unique<KernelLibrary>();
  library->which = serves;
  library->threads = std::max<int64_t>(1, threads.value_or(plan.training.threadsPerRank));
  WINDLASS_TRY(checkTargetCpu(plan.target.cpu));
  WINDLASS_TRY(capLibraryKernels(plan.target.cpu));
  WINDLASS_TRY(library->openGenerated(plan, folder));
  WINDLASS_TRY(library->bind(plan));
  WINDLASS_TRY(library->checkScratch(plan));
  return library;
}

Result<std::unique_ptr<KernelLauncher>> KernelLibrary::makeLauncher(int64_t, Stream *stream) const {
  if (stream)
    return Status::internal("kernels of the cpu do not run on a stream");
  Result<std::unique_ptr<KernelRunner>> runner = KernelRunner::create(*this);
  if (!runner)
    return runner.status();
  return std::unique_ptr<KernelLauncher>(runner.take());
}

Status KernelLibrary::openGenerated(const plan::Plan &plan, const std::string &folder) {
  const plan::KernelFile *file = plan::kernelFileFor(plan, plan.target.cpu);
  if (!file)
    return Status::ok();
  WINDLASS_TRY(plan::checkKernelFile(*file, folder));
  const std::string path = plan::pathOf(*file, folder);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::badInput("'" + path + "' cannot be loaded: " + dlerror());
  object = std::shared_ptr<void>(handle, dlclose);
  const auto *table = static_cast<const char *>(dlsym(handle, plan::kSignatureTable));
  if (!table)
    return Status::badInput("'" + path +
                            "' does not say what its kernels take, as those of older versions do " +
                            "not: compile the plan again");
  signatures = plan::readSignatures(table);
  return Status::ok();
}

Status KernelLibrary::bind(const plan::Plan &plan) {
  std::map<decltype(keyOf({})), std::shared_ptr<const Matmul>> matmuls;
  const std::vector<bool> launched = plan::launchedOn(plan, {plan::Lane::HostCompute});
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const plan::Kernel &kernel = plan.kernels[i];
    LoadedKernel &entry = loaded.emplace_back();
    if (which == Serves::HostLane && !launched[i])
      continue;
    if (kernel.kind == plan::KernelKind::Matmul && plan.target.multipliesByReference()) {
      entry.reference = &kernel.matmul;
      continue;
    }
    if (kernel.kind == plan::KernelKind::Matmul) {
      std::shared_ptr<const Matmul> &made = matmuls[keyOf(kernel.matmul)];
      if (!made) {
        Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(kernel.matmul, threads);
        if (!matmul)
          return matmul.status();
        made = matmul.take();
      }
      entry.matmul = made;
      continue;
    }
    entry.grain = isElementwise(kernel) ? kVectorGrain : 1;
    if (!object)
      return Status::badInput("kernel '" + kernel.symbol + "': the plan has no kernel file for '" +
                              plan.target.cpu + "'");
    entry.generated = reinterpret_cast<KernelFunction>(dlsym(object.get(), kernel.symbol.c_str()));
    if (!entry.generated)
      return Status::badInput("kernel '" + kernel.symbol + "' is not in '" +
                              plan::kernelFileFor(plan, plan.target.cpu)->name + "'");
    const auto made = signatures.find(kernel.symbol);
    if (made == signatures.end() || made->second != plan::signatureOf(plan.kernels, i))
      return Status::badInput("kernel '" + kernel.symbol + "' was made for '" +
                              (made == signatures.end() ? "" : made->second) + "', the plan has it take '" +
                              plan::signatureOf(plan.kernels, i) + "'");
    entry.pieced = findPieces(kernel.symbol);
  }
  return Status::ok();
}

std::optional<PiecedSum> KernelLibrary::findPieces(const std::string &symbol) const {
  auto find = [&](const char *suffix) { return dlsym(object.get(), (symbol + suffix).c_str()); };
  const auto *count = static_cast<const int64_t *>(find(kPieceCountSuffix));
  const auto pieces = reinterpret_cast<KernelFunction>(find(kPiecesSuffix)),
             total = reinterpret_cast<KernelFunction>(find(kTotalSuffix));
  return count && pieces && total ? std::optional(PiecedSum{pieces, total, *count}) : std::nullopt;
}

std::vector<std::string> KernelLibrary::notices(const plan::Plan &plan) const {
  std::vector<std::string> lines;
  for (plan::ElementType half : {plan::ElementType::BF16, plan::ElementType::F16}) {
    const bool widens = std::ranges::any_of(loaded, [&](const LoadedKernel &kernel) {
      const plan::MatmulSpec &spec = plan.kernels[&kernel - loaded.data()].matmul;
      return kernel.matmul && kernel.matmul->widens() && spec.a == half && spec.b == half;
    });
    if (widens)
      lines.push_back("matmuls of " + std::string(textOf(half)) + " run in f32 over widened operands: " +
                      libraryInstructionSet() + " has no fast " + std::string(textOf(half)));
  }
  return lines;
}

/// Every launch of a matmul brings the scratch its primitive asks for.
Status KernelLibrary::checkScratch(const plan::Plan &plan) const {
  Status status;
  plan::forEachInstruction(plan, [&](const plan::Instruction &instruction) {
    if (status.isOk() && instruction.op == plan::Opcode::Launch && serves(instruction.lane) &&
        loaded[instruction.kernel].matmul)
      status = checkScratch(plan, instruction);
  });
  return status;
}

Status KernelLibrary::checkScratch(const plan::Plan &plan, const plan::Instruction &launch) const {
  const int64_t needed = loaded[launch.kernel].matmul->scratchBytes();
  const std::vector<plan::Operand> &operands = launch.operands;
  const int64_t granted = operands.size() > kScratchOperand ? operands[kScratchOperand].bytes : 0;
  if (needed <= granted)
    return Status::ok();
  return Status::cannotFit("matmul '" + describe(plan.kernels[launch.kernel].matmul) + "' needs " +
                           std::to_string(needed) + " bytes of scratch here, the plan grants " +
                           std::to_string(granted) + ": it is made for " + plan.target.library + " " +
                           plan.target.version + ", here is " + libraryVersion());
}

} // namespace windlass
