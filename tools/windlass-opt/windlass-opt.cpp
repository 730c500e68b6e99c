// Runs any pass or named pipeline on a module of any level; --interpret runs the module itself.

#include "compiler/interpreter/InterpretPass.h"
#include "dialects/Register.h"
#include "passes/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "windlass-opt " WINDLASS_VERSION "\n"; });
  windlass::registerPasses();
  windlass::registerInterpretPass();
  mlir::DialectRegistry registry;
  windlass::registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "windlass-opt", registry));
}
