// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/UnreadArguments.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass {
namespace {

class LayerFunction {
public:
  LayerFunction(func::FuncOp function, SmallVector<func::CallOp> calls)
      : function(function), calls(std::move(calls)) {}

  void dropUnread() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    passValuesBy();
    dropArguments();
  }

private:
  /// Whether no call passes a parameter.
  bool isCarried(BlockArgument argument) {
    return llvm::none_of(calls, [&](func::CallOp call) {
      return call.getOperand(argument.getArgNumber()).getDefiningOp<graph::ReadOp>();
    });
  }

  /// Drops the results that are arguments: their readers read the operands of the calls.
  void passValuesBy() {
    Operation *end = function.getBody().front().getTerminator();
    llvm::BitVector passed(end->getNumOperands());
    for (auto [i, value] : llvm::enumerate(end->getOperands()))
      if (auto argument = dyn_cast<BlockArgument>(value); argument && isCarried(argument)) {
        passed.set(i);
        for (func::CallOp call : calls)
          call.getResult(i).replaceAllUsesWith(call.getOperand(argument.getArgNumber()));
      }
    if (passed.none())
      return;
    end->eraseOperands(passed);
    (void)function.eraseResults(passed);
    for (func::CallOp &call : calls)
      call = withoutResults(call, passed);
  }

  func::CallOp withoutResults(func::CallOp call, const llvm::BitVector &dropped) {
    OpBuilder builder(call);
    auto fresh = func::CallOp::create(builder, call.getLoc(), function, call.getOperands());
    fresh->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    unsigned next = 0;
    for (OpResult result : call->getResults())
      if (!dropped[result.getResultNumber()])
        result.replaceAllUsesWith(fresh.getResult(next++));
    call.erase();
    return fresh;
  }

  void dropArguments() {
    llvm::BitVector unread(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty() && isCarried(argument))
        unread.set(argument.getArgNumber());
    if (unread.none())
      return;
    (void)function.eraseArguments(unread);
    for (func::CallOp call : calls)
      call->eraseOperands(unread);
  }

  func::FuncOp function;
  SmallVector<func::CallOp> calls;
};

} // namespace

void dropUnreadArguments(ModuleOp module) {
  llvm::StringMap<SmallVector<func::CallOp>> calls;
  module.walk([&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
  for (auto function : module.getOps<func::FuncOp>())
    LayerFunction(function, calls.lookup(function.getName())).dropUnread();
}

} // namespace windlass
