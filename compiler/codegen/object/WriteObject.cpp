// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/object/ObjectCode.h"

#include "compiler/codegen/object/OptimizeLlvm.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace windlass::codegen {
namespace {

std::unique_ptr<llvm::TargetMachine> createX86Machine(llvm::StringRef cpu) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  return createTargetMachine("x86_64-unknown-linux-gnu", cpu, /*features=*/"-prefer-256-bit");
}

void exportText(llvm::Module &module, llvm::StringRef symbol, llvm::StringRef text) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
  new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                           bytes, symbol);
}

} // namespace

ObjectWriter::ObjectWriter(std::unique_ptr<llvm::TargetMachine> machine) : machine(std::move(machine)) {}
ObjectWriter::ObjectWriter(ObjectWriter &&) noexcept = default;
ObjectWriter::~ObjectWriter() = default;

mlir::FailureOr<ObjectWriter> ObjectWriter::create(mlir::Operation *blamed, llvm::StringRef cpu) {
  std::unique_ptr<llvm::TargetMachine> machine = createX86Machine(cpu);
  if (!machine)
    return blamed->emitError("no LLVM code could be made for target '") << cpu << "'";
  return ObjectWriter(std::move(machine));
}

mlir::FailureOr<std::string> ObjectWriter::write(mlir::ModuleOp module) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context, "windlass-kernels");
  if (!code)
    return module.emitError("no LLVM code could be made of a kernel");
  return emit(module, *code, /*isOptimized=*/true);
}

mlir::FailureOr<std::string> ObjectWriter::writeText(mlir::Operation *blamed, llvm::StringRef symbol,
                                                     llvm::StringRef text) const {
  llvm::LLVMContext context;
  llvm::Module code("windlass-text", context);
  exportText(code, symbol, text);
  return emit(blamed, code, /*isOptimized=*/false);
}

mlir::FailureOr<std::string> ObjectWriter::emit(mlir::Operation *blamed, llvm::Module &code,
                                                bool isOptimized) const {
  if (isOptimized)
    optimizeModule(code, *machine);
  std::string object = writeModule(code, *machine, llvm::CodeGenFileType::ObjectFile);
  if (object.empty())
    return blamed->emitError("target '") << machine->getTargetCPU() << "' writes no object files";
  return object;
}

} // namespace windlass::codegen
