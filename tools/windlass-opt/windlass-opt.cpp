// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs any pass or named pipeline on a module of any level; --interpret runs the module itself.

#include "compiler/interpreter/InterpretPass.h"
#include "dialects/Register.h"
#include "passes/Register.h"
#include "runtime/base/Status.h"
#include "tools/command-line/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace {

constexpr const char *kAbout = R"(runs passes on a module of any level and prints what comes out

  windlass-compile MODEL --training T --hardware H --dump-phases ir   # the IR between the levels
  windlass-opt ir/00-import.mlir --graph-train='micro-batches=2 recompute=full'
  windlass-opt ir/00-import.mlir --interpret='step=evaluate' -o /dev/null   # runs it, in f64
  windlass-opt ir/01-graph.mlir --partition='ranks=4 zero=3' --form-kernels --symbol-dce
  windlass-opt ir/02-dist.mlir --pass-pipeline='builtin.module(verify-dist,lower-to-flow)'
  windlass-opt ir/03-flow.mlir --plan-memory='hardware=machine.json' --mlir-print-ir-after-all

docs/passes.md describes every pass. Below are the passes with their options, and the options of MLIR's driver;
--help-hidden lists the options of LLVM's libraries, too.

Exit codes: 0 done, 1 the module is wrong or a pass fails, 2 the command line is wrong.
)";

/// Hides the options of LLVM's libraries, about a thousand, from --help; --help-hidden shows them.
void hideForeignOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
}

llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("MODULE"), llvm::cl::init("-"));
llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("where the module goes"),
                                      llvm::cl::value_desc("FILE"), llvm::cl::init("-"));

/// As mlir::registerAndParseCLIOptions, but with this project's exit code for a wrong command line.
bool parsed(int argc, char **argv, mlir::DialectRegistry &registry) {
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  return llvm::cl::ParseCommandLineOptions(argc, argv, kAbout, &llvm::errs());
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  hideForeignOptions();
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << windlass::versionOf("windlass-opt") << "\n"; });
  windlass::registerPasses();
  windlass::registerInterpretPass();
  mlir::DialectRegistry registry;
  windlass::registerDialects(registry);
  if (!parsed(argc, argv, registry))
    return static_cast<int>(windlass::ExitCode::Usage);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, inputFile, outputFile, registry));
}
