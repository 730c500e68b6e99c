// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/WritePtx.h"

#include "compiler/codegen/AuditPtx.h"
#include "compiler/codegen/OptimizeLlvm.h"
#include "compiler/codegen/WidenHalves.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

namespace windlass::codegen {
namespace {

constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda", kFeatures = "+ptx80";

std::unique_ptr<llvm::TargetMachine> createTargetMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, llvm::StringRef(kPtxTarget), kFeatures, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
}

} // namespace

mlir::FailureOr<std::string> writePtx(mlir::ModuleOp module) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine();
  if (!machine)
    return module.emitError("no device code can be made: LLVM is built without NVPTX");
  // Known before translation, which takes from it how loads are aligned that do not say so.
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
