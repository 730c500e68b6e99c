// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/cuda/CudaKernels.h"
#include "runtime/base/Counted.h"
#include "runtime/base/File.h"
#include "runtime/base/PtxSymbol.h"
#include "runtime/kernels/cuda/DeviceProbe.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/KernelFiles.h"
#include "runtime/tiers/cuda/CudaStream.h"
#include <algorithm>
#include <array>
#include <charconv>

namespace windlass {

using cuda::CuFunction;
using cuda::CuResult;
using cuda::Driver;

namespace {

/// 80 of "sm_80"; 0: code for something else.
int capabilityOf(std::string_view target) {
  constexpr std::string_view kPrefix = "sm_";
  int capability = 0;
  if (!target.starts_with(kPrefix))
    return 0;
  const auto [end, error] =
      std::from_chars(target.data() + kPrefix.size(), target.data() + target.size(), capability);
  return error == std::errc() && end == target.data() + target.size() ? capability : 0;
}

/// The file for the newest devices among those that this one is no older than; null: it runs none.
const plan::KernelFile *fileFor(const plan::Plan &plan, int capability) {
  const plan::KernelFile *best = nullptr;
  for (const plan::KernelFile &file : plan.kernelFiles)
    if (const int of = capabilityOf(file.target); of > 0 && of <= capability)
      if (!best || of > capabilityOf(best->target))
        best = &file;
  return best;
}

/// Launches on a stream, or on none and waits.
class CudaLauncher final : public KernelLauncher {
public:
  CudaLauncher(cuda::Context &context, const std::vector<CudaKernel> &kernels, Stream *stream)
      : context(context), kernels(kernels), lane(static_cast<CudaStream *>(stream)) {
    size_t most = 0;
    for (const CudaKernel &kernel : kernels)
      most = std::max(most, kernel.operands);
    parameters.resize(most + 2);
  }

  Status launch(int32_t kernel, void *const *args, int64_t begin, int64_t end) override {
    const CudaKernel &launched = kernels[static_cast<size_t>(kernel)];
    if (begin >= end)
      return Status::ok();
    if (launched.product)
      WINDLASS_TRY(launched.product->run(args, lane ? lane->handle() : nullptr));
    // The driver reads parameters through these, and writes none.
    for (size_t i = 0; i < launched.operands; ++i)
      parameters[i] = const_cast<void **>(&args[i]);
    parameters[launched.operands] = &begin;
    parameters[launched.operands + 1] = &end;
    for (const CudaPhase &phase : launched.phases)
      WINDLASS_TRY(launch(phase, end - begin));
    return lane ? Status::ok() : context.await(cuda::CuStream{});
  }

private:
  Status launch(const CudaPhase &phase, int64_t range) {
    const plan::LaunchGrid &grid = phase.grid;
    const int64_t blocks = (range + grid.perBlock - 1) / grid.perBlock * grid.across;
    constexpr int64_t kMostBlocks = INT32_MAX;
    if (blocks > kMostBlocks)
      return Status::runFailed("a grid of " + std::to_string(blocks) + " blocks: a device takes " +
                               std::to_string(kMostBlocks));
    void **const noExtra = nullptr;
    return context.call<&Driver::launch>(
        phase.function, static_cast<unsigned>(blocks), 1u, 1u, static_cast<unsigned>(grid.threads), 1u, 1u,
        static_cast<unsigned>(grid.sharedBytes), lane ? lane->handle() : nullptr, parameters.data(), noExtra);
  }

  cuda::Context &context;
  const std::vector<CudaKernel> &kernels;
  CudaStream *lane;
  std::vector<void *> parameters; ///< of the launch that is being made
};

} // namespace

Result<std::shared_ptr<const CudaKernels>> CudaKernels::load(std::shared_ptr<cuda::Context> context,
                                                             const plan::Plan &plan,
                                                             const std::string &folder,
                                                             const FindBlasLt &findBlasLt) {
  Result<std::shared_ptr<const LtProducts>> products = LtProducts::create(context, findBlasLt, plan);
  WINDLASS_TRY(products.status());
  auto made = std::make_shared<CudaKernels>(std::move(context));
  made->products = products.take();
  if (!plan.kernelFiles.empty())
    WINDLASS_TRY(made->compile(plan, folder));
  WINDLASS_TRY(made->bind(plan));
  return std::shared_ptr<const CudaKernels>(std::move(made));
}

Status CudaKernels::compile(const plan::Plan &plan, const std::string &folder) {
  const int capability = context->facts().capability;
  const plan::KernelFile *found = fileFor(plan, capability);
  if (!found)
    return Status::cannotFit("the plan has no code that '" + context->facts().name + "' runs, which is sm_" +
                             std::to_string(capability));
  WINDLASS_TRY(plan::checkKernelFile(*found, folder));
  file = plan::pathOf(*found, folder);
  const Result<std::string> text = readFile(file);
  WINDLASS_TRY(text.status());
  std::array<char, 4096> log{};
  std::array<cuda::JitOption, 2> options{cuda::kErrorLog, cuda::kErrorLogBytes};
  std::array<void *, 2> values{log.data(), reinterpret_cast<void *>(log.size())};
  if (Status status = context->call<&Driver::loadModule>(&module, static_cast<const void *>(text->c_str()),
                                                         static_cast<unsigned>(options.size()),
                                                         options.data(), values.data());
      !status.isOk()) {
    const std::string said(log.data());
    return Status::cannotFit("'" + file + "' cannot be compiled by the driver: " + status.message() +
                             (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))));
  }
  const Result<CuFunction> probe = builtin(kProbe);
  WINDLASS_TRY(probe.status());
  return *probe ? probeDevice(context, *probe)
                : Status::badInput("no '" + std::string(kProbe) + "' is in '" + file + "'");
}

CudaKernels::~CudaKernels() {
  if (module && !context->isGivenUp() && context->enter())
    context->driver().unloadModule(module);
}

std::map<std::string, std::string> CudaKernels::numerics() const {
  std::map<std::string, std::string> entries = products->numerics();
  entries["device"] = "sm_" + std::to_string(context->facts().capability);
  return entries;
}

Result<std::string> CudaKernels::describe() const {
  int mostRegisters = 0, mostLocal = 0;
  int64_t functions = 0, spilling = 0;
  for (const CudaKernel &kernel : kernels)
    for (const CudaPhase &phase : kernel.phases) {
      int registers = 0, local = 0;
      WINDLASS_TRY(context->call<&Driver::functionAttribute>(&registers, cuda::kRegisters, phase.function));
      WINDLASS_TRY(context->call<&Driver::functionAttribute>(&local, cuda::kLocalBytes, phase.function));
      mostRegisters = std::max(mostRegisters, registers);
      mostLocal = std::max(mostLocal, local);
      ++functions;
      spilling += local > 0;
    }
  return counted(functions, "function") + " of the plan's code: at most " + std::to_string(mostRegisters) +
         " registers a thread, " +
         (spilling == 0 ? "none spilled"
                        : counted(spilling, "function") + " with up to " + std::to_string(mostLocal) +
                              " bytes a thread in local memory");
}

Result<CuFunction> CudaKernels::builtin(const std::string &symbol) const {
  CuFunction function = nullptr;
  if (!module)
    return function;
  WINDLASS_TRY(context->enter());
  const CuResult result = context->driver().function(&function, module, symbol.c_str());
  if (result != CuResult::NotFound)
    WINDLASS_TRY(context->driver().status(result, cuda::symbolOf<&Driver::function>()));
  return function;
}

Status CudaKernels::bind(const plan::Plan &plan) {
  const std::vector<bool> launched = plan::launchedOn(plan, {plan::Lane::Compute});
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    Result<CudaKernel> bound = products->of(i) ? CudaKernel{{}, products->of(i)}
                               : launched[i]   ? bind(plan.kernels[i])
                                               : CudaKernel{};
    if (!bound)
      return bound.status();
    kernels.push_back(bound.take());
  }
  return Status::ok();
}

Result<CudaKernel> CudaKernels::bind(const plan::Kernel &kernel) const {
  const std::string named = "kernel '" + kernel.symbol + "'";
  if (kernel.phases.empty())
    return Status::badInput(named + " has no grid for a GPU");
  CudaKernel bound{{}, nullptr, kernel.args.size()};
  for (size_t phase = 0; phase < kernel.phases.size(); ++phase) {
    const Result<CuFunction> function = builtin(ptxSymbol(kernel.symbol, phase));
    WINDLASS_TRY(function.status());
    if (!*function)
      return Status::badInput(named + ": no '" + ptxSymbol(kernel.symbol, phase) + "' is in '" + file + "'");
    bound.phases.push_back({*function, kernel.phases[phase]});
  }
  return bound;
}

Result<std::unique_ptr<KernelLauncher>> CudaKernels::makeLauncher(int64_t, Stream *stream) const {
  return std::unique_ptr<KernelLauncher>(std::make_unique<CudaLauncher>(*context, kernels, stream));
}

} // namespace windlass
