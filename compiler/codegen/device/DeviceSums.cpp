// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceSums.h"

#include "compiler/codegen/device/DeviceMemory.h"
#include "compiler/codegen/vectors/Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

bool isTemporary(Value buffer) { return bufferOf(buffer).getDefiningOp<memref::AllocaOp>() != nullptr; }
bool isReduction(linalg::GenericOp generic) { return generic.getNumReductionLoops() > 0; }

class SumsSpreader {
public:
  SumsSpreader(RowNest &nest, SumPhase phase)
      : nest(nest), function(nest.function), builder(function.getBody()), pieces{phase} {
    function.walk([&](linalg::GenericOp generic) { generics.push_back(generic); });
  }

  FailureOr<DeviceGrid> spread() {
    if (failed(check()) || (pieces.phase != SumPhase::Whole && failed(addPieces())))
      return failure();
    builder.setInsertionPointToStart(&function.front());
    std::unique_ptr<DeviceTeam> team = nest.strips ? makeColumnTeam(nest, generics, pieces, builder)
                                                   : makeRowTeam(nest, generics, pieces, builder);
    for (linalg::GenericOp generic : generics) {
      builder.setInsertionPoint(generic);
      emit(generic, *team);
      generic.erase();
    }
    eraseTemporaries();
    alignVectors(function);
    askForRegisters(function, team->grid.threads);
    return team->grid;
  }

private:
  /// Checks the operations around the generics, which all threads run, even threads without a row.
  LogicalResult check() {
    if (nest.isCut() || !nest.parts.empty())
      return deviceError(function) << "reductions outside of rows";
    WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<linalg::GenericOp>(op))
        return WalkResult::skip();
      const bool isFrame =
          isa<func::FuncOp, func::ReturnOp, scf::ForOp, scf::YieldOp, memref::AllocaOp>(op) ||
          op == nest.single;
      return isFrame || isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return deviceError(function) << "reductions among what branches or loads";
    for (linalg::GenericOp generic : generics) {
      const bool keepsInnermost = nest.strips != nullptr;
      const unsigned kept = generic.getNumLoops() - generic.getNumReductionLoops();
      if (generic.getNumReductionLoops() > 0 && kept != (keepsInnermost ? 1U : 0U))
        return deviceError(function) << "reductions with loops between their rows";
    }
    return success();
  }

  /// Adds the buffers of pieces: one per output of the reduction.
  LogicalResult addPieces() {
    auto reductions = llvm::make_filter_range(generics, isReduction);
    if (std::distance(reductions.begin(), reductions.end()) != 1 || (nest.strips && !nest.loops.empty()))
      return deviceError(function) << "phases of several sums, or of columns of several groups of rows";
    linalg::GenericOp reduction = *reductions.begin();
    const int64_t rows = rowsOf(reduction), length = reduction.getStaticLoopRanges().back();
    const bool isOneRow = nest.single && rows == 1;
    if (!nest.strips && !isOneRow && (rows == 1 || length > kReductionBlock))
      return deviceError(function) << "phases of the sums of several rows of " << length << " elements";
    pieces.count = isOneRow ? llvm::divideCeil(length, kReductionBlock) : llvm::divideCeil(rows, kTerms);
    auto result = cast<MemRefType>(bufferOf(generics.back().getDpsInits().front()).getType());
    return pieces.addBuffers(function, reduction, result.getNumElements());
  }

  void emit(linalg::GenericOp generic, DeviceTeam &team) {
    VectorBody body(generic);
    for (OpOperand *input : generic.getDpsInputOperands())
      if (isTemporary(input->get()))
        body.bind(*input, temporaries.lookup(bufferOf(input->get())));
    if (!isTemporary(generic.getDpsInits().front())) {
      if (pieces.phase != SumPhase::Pieces)
        team.store(generic, body);
      return;
    }
    Values values;
    if (generic.getNumReductionLoops() == 0) { // first values
      for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
        body.setLoop(loop, arith::ConstantIndexOp::create(builder, generic.getLoc(), 0));
      values = body.emit(builder, 1);
    } else {
      Values initial;
      for (Value output : generic.getDpsInits())
        initial.push_back(temporaries.lookup(bufferOf(output)));
      values = team.reduce(generic, body, initial);
    }
    for (auto [output, value] : llvm::zip(generic.getDpsInits(), values))
      temporaries[bufferOf(output)] = value;
  }

  /// Erases the temporaries, which no operation reads or writes any more.
  void eraseTemporaries() {
    for (auto view : llvm::to_vector(function.getOps<memref::SubViewOp>()))
      if (isTemporary(view))
        view.erase();
    for (auto alloca : llvm::to_vector(function.getOps<memref::AllocaOp>()))
      alloca.erase();
  }

  RowNest &nest;
  func::FuncOp function;
  OpBuilder builder;
  PieceSums pieces;
  SmallVector<linalg::GenericOp> generics;
  llvm::DenseMap<Value, Value> temporaries; ///< buffer of a row -> the value in it
};

} // namespace

bool hasSums(func::FuncOp function) {
  WalkResult walk = function.walk([](linalg::GenericOp generic) {
    return generic.getNumReductionLoops() > 0 ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

FailureOr<DeviceGrid> spreadSums(RowNest &nest, SumPhase phase) { return SumsSpreader(nest, phase).spread(); }

} // namespace windlass::codegen
