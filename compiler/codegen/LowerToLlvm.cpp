// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/LowerToLlvm.h"

#include "compiler/codegen/Power.h"
#include "compiler/codegen/Trigonometry.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr llvm::StringLiteral kBodySuffix = ".body";

/// Whether processors have an instruction for the op, so that neither an approximation nor a library is
/// needed.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

/// void NAME(void *const *args, int64_t begin, int64_t end), which calls the body.
void addEntryPoint(LLVM::LLVMFuncOp body) {
  MLIRContext *context = body.getContext();
  OpBuilder builder(body);
  std::string name = body.getName().str();
  body.setName(name + kBodySuffix.str());
  body.setLinkage(LLVM::Linkage::Internal);
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, builder.getI64Type(), builder.getI64Type()});
  auto entry = LLVM::LLVMFuncOp::create(builder, body.getLoc(), name, type);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (unsigned number = 0; number + 2 < body.getNumArguments(); ++number) {
    Value place = LLVM::GEPOp::create(builder, body.getLoc(), pointer, pointer, block->getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    operands.push_back(LLVM::LoadOp::create(builder, body.getLoc(), pointer, place));
  }
  operands.append({block->getArgument(1), block->getArgument(2)});
  LLVM::CallOp::create(builder, body.getLoc(), body, operands);
  LLVM::ReturnOp::create(builder, body.getLoc(), ValueRange());
}

} // namespace

LogicalResult convertToLlvm(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(approximateMath(function)))
      return failure();
  PassManager passes(module.getContext());
#ifdef NDEBUG // these passes are MLIR's; LLVM verifies what is translated
  passes.enableVerifier(false);
#endif
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(functions));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

LogicalResult approximateMath(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  math::populateExpansionPatterns(patterns, {"rsqrt", "exp2"});
  populatePowerPatterns(patterns);
  populateTrigonometryPatterns(patterns);
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return name != math::SinOp::getOperationName() && name != math::CosOp::getOperationName();
  });
  GreedyRewriteConfig config;
  if (failed(applyPatternsGreedily(function, std::move(patterns), config)))
    return function.emitError("kernel '")
           << function.getName() << "': approximating its mathematics did not end";
  WalkResult walk = function.walk([&](Operation *op) {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isNative(op))
      return WalkResult::advance();
    function.emitError("kernel '") << function.getName() << "': no approximation of '" << op->getName()
                                   << "' on " << op->getResult(0).getType();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult lowerToLlvm(ModuleOp module) {
  if (failed(convertToLlvm(module)))
    return failure();
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
    addEntryPoint(function);
  return success();
}

} // namespace windlass::codegen
