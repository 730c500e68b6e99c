// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/codegen/KernelRunner.h"

#include "compiler/codegen/Codegen.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include "runtime/kernels/InstructionSet.h"

#include "mlir/Parser/Parser.h"

#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

using namespace mlir;

namespace windlass::codegen::test {
namespace {

std::string newPath() {
  static int count = 0;
  auto name = "windlass-codegen-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".so";
  return std::filesystem::temp_directory_path() / name;
}

/// A parsed module, and all diagnostics about it.
struct Parsed {
  explicit Parsed(const std::string &text) : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, graph::GraphDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &d) { said += d.str() + "\n"; });
    module = parseSourceString<ModuleOp>(text, &context);
  }
  MLIRContext context;
  std::string said;
  OwningOpRef<ModuleOp> module;
};

} // namespace

std::unique_ptr<Kernels> Kernels::compile(const std::string &mlir, const std::string &cpu, std::string &error,
                                          const KnownObjects &known) {
  Parsed parsed(mlir);
  if (!parsed.module) {
    error = parsed.said;
    return nullptr;
  }
  auto kernels = std::make_unique<Kernels>();
  kernels->file = newPath();
  const std::string target = cpu.empty() ? runnableCpus().back() : cpu;
  if (failed(generateKernels(llvm::to_vector(parsed.module->getOps<func::FuncOp>()),
                             {.cpu = target, .known = known}, kernels->file))) {
    error = parsed.said;
    return nullptr;
  }
  kernels->handle = dlopen(kernels->file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!kernels->handle) {
    error = dlerror();
    return nullptr;
  }
  if (target == runnableCpus().back()) // one target is enough: all have the same bits
    kernels->witness = makeWitness(mlir);
  return kernels;
}

Kernels::~Kernels() {
  if (handle)
    dlclose(handle);
  std::filesystem::remove(file);
}

void Kernels::run(const char *name, std::vector<void *> args, int64_t begin, int64_t end) const {
  const std::function<void()> compare = witness ? witness->watch(name, args, begin, end) : nullptr;
  runPhase(name, args, begin, end);
  if (compare)
    compare();
}

void Kernels::runPhase(const char *name, std::vector<void *> args, int64_t begin, int64_t end) const {
  auto function = reinterpret_cast<void (*)(void *const *, int64_t, int64_t)>(dlsym(handle, name));
  ASSERT_NE(function, nullptr) << name;
  function(args.data(), begin, end);
}

int64_t Kernels::constant(const char *name) const {
  const auto *value = static_cast<const int64_t *>(dlsym(handle, name));
  EXPECT_NE(value, nullptr) << name;
  return value ? *value : -1;
}

std::unique_ptr<Kernels> compile(const std::string &mlir, const std::string &cpu, const KnownObjects &known) {
  std::string error;
  auto kernels = Kernels::compile(mlir, cpu, error, known);
  EXPECT_NE(kernels, nullptr) << error << mlir;
  return kernels;
}

std::vector<std::string> runnableCpus() {
  if (cpuSupports("x86-64-v4"))
    return {"x86-64-v3", "x86-64-v4"};
  return {"x86-64-v3"};
}

std::string describe(const std::string &mlir) {
  Parsed parsed(mlir);
  if (!parsed.module)
    return parsed.said;
  auto cost = graph::describeKernel(*parsed.module->getOps<func::FuncOp>().begin());
  if (failed(cost))
    return parsed.said;
  return std::to_string(cost->extent) + " " + std::to_string(static_cast<int64_t>(cost->flops)) + " " +
         std::to_string(static_cast<int64_t>(cost->bytes));
}

} // namespace windlass::codegen::test
