// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ptx/WidenHalves.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace windlass::codegen {
namespace {

bool isHalf(const llvm::Value *value) { return value->getType()->getScalarType()->isHalfTy(); }

/// The operation on operands that are widened to f32; null if `op` is no arithmetic on f16.
llvm::Value *buildWide(llvm::IRBuilder<> &builder, llvm::Instruction &op) {
  llvm::Type *wide = op.getOperand(0)->getType()->getWithNewType(builder.getFloatTy());
  auto operand = [&](unsigned number) { return builder.CreateFPExt(op.getOperand(number), wide); };
  if (auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&op)) {
    llvm::Value *left = operand(0), *right = operand(1);
    return builder.CreateFCmp(compare->getPredicate(), left, right);
  }
  if (op.getOpcode() == llvm::Instruction::FNeg)
    return builder.CreateFNeg(operand(0));
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&op)) {
    llvm::Value *left = operand(0), *right = operand(1);
    return builder.CreateBinOp(binary->getOpcode(), left, right);
  }
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&op);
  if (!call || !llvm::all_of(call->args(), [](const llvm::Use &use) { return isHalf(use.get()); }))
    return nullptr;
  llvm::SmallVector<llvm::Value *> operands;
  for (unsigned number = 0; number < call->arg_size(); ++number)
    operands.push_back(operand(number));
  return builder.CreateIntrinsic(call->getIntrinsicID(), {wide}, operands);
}

void widen(llvm::Function &function) {
  for (llvm::Instruction &op : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (op.getNumOperands() == 0 || !isHalf(op.getOperand(0)) ||
        !(isHalf(&op) || llvm::isa<llvm::FCmpInst>(op)))
      continue;
    llvm::IRBuilder<> builder(&op);
    llvm::Value *result = buildWide(builder, op);
    if (!result)
      continue;
    if (isHalf(&op))
      result = builder.CreateFPTrunc(result, op.getType());
    op.replaceAllUsesWith(result);
    op.eraseFromParent();
  }
}

} // namespace

void widenHalves(llvm::Module &module) {
  for (llvm::Function &function : module)
    widen(function);
}

} // namespace windlass::codegen
