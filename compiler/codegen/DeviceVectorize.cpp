// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DeviceVectorize.h"

#include "compiler/codegen/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// Rewrites one generic.
class StripEmitter {
public:
  StripEmitter(linalg::GenericOp generic, const DeviceFrame &frame)
      : builder(generic), loc(generic.getLoc()), generic(generic), body(generic), frame(frame) {}

  void rewrite() {
    if (!frame.first)
      emitAt(Value(), 1);
    else if (!frame.isCut)
      emitAt(frame.first, frame.width);
    else
      emitCut();
    generic.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  void emitAt(Value first, int64_t width) {
    if (first)
      body.setLoop(0, first);
    SmallVector<Value> results = body.emit(builder, width);
    body.storeOutputs(builder, results, width);
  }

  /// A whole strip that begins on a multiple of its width is done at once, another one singly.
  void emitCut() {
    Value end = arith::AddIOp::create(builder, loc, frame.first, constant(frame.width));
    Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, frame.size);
    Value rest = arith::AndIOp::create(builder, loc, frame.begin, constant(frame.width - 1));
    Value isAligned = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
    Value atOnce = arith::AndIOp::create(builder, loc, isWhole, isAligned);
    auto branch = scf::IfOp::create(builder, loc, atOnce, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitAt(frame.first, frame.width);
    builder.setInsertionPointToStart(branch.elseBlock());
    Value last = arith::MinSIOp::create(builder, loc, end, frame.size);
    auto loop = scf::ForOp::create(builder, loc, frame.first, last, constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    emitAt(loop.getInductionVar(), 1);
  }

  OpBuilder builder;
  Location loc;
  linalg::GenericOp generic;
  VectorBody body;
  const DeviceFrame &frame;
};

/// What a device moves at once must lie on a multiple of its size.
template <typename OpT> void align(OpT op, VectorType type) {
  const int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  op.setAlignment(std::min(bytes, kAccessBytes));
}

/// Literals have no alignment that is known where they are read.
bool isTable(Value buffer) { return buffer.getDefiningOp<memref::GetGlobalOp>() != nullptr; }

} // namespace

void vectorizeForThread(const DeviceFrame &frame) {
  auto function = frame.generics.front()->getParentOfType<func::FuncOp>();
  for (linalg::GenericOp generic : frame.generics)
    StripEmitter(generic, frame).rewrite();
  function.walk([](vector::LoadOp load) {
    if (!isTable(load.getBase()))
      align(load, load.getVectorType());
  });
  function.walk([](vector::StoreOp store) { align(store, store.getVectorType()); });
}

} // namespace windlass::codegen
