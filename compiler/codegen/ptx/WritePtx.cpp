// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ptx/WritePtx.h"

#include "compiler/codegen/object/OptimizeLlvm.h"
#include "compiler/codegen/ptx/AuditPtx.h"
#include "compiler/codegen/ptx/WidenHalves.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace windlass::codegen {
namespace {

std::unique_ptr<llvm::TargetMachine> createPtxMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return createTargetMachine("nvptx64-nvidia-cuda", llvm::StringRef(kPtxTarget), /*features=*/"+ptx80");
}

} // namespace

mlir::FailureOr<std::string> writePtx(mlir::ModuleOp module) {
  std::unique_ptr<llvm::TargetMachine> machine = createPtxMachine();
  if (!machine)
    return module.emitError("no device code can be made: LLVM is built without NVPTX");
  // Set before the translation, which derives the alignment of loads without one from it.
  module->setAttr(
      mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
      mlir::StringAttr::get(module.getContext(), machine->createDataLayout().getStringRepresentation()));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context, "windlass-kernels");
  if (!code)
    return module.emitError("no LLVM code could be made of a device kernel");
  optimizeModule(*code, *machine);
  widenHalves(*code);
  std::string text = writeModule(*code, *machine, llvm::CodeGenFileType::AssemblyFile);
  if (Status status = auditPtx(text); !status.isOk())
    return module.emitError("device code that is not as promised: ") << status.message();
  return text;
}

} // namespace windlass::codegen
