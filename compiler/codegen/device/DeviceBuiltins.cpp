// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceBuiltins.h"

#include "compiler/codegen/Storage.h"
#include "compiler/codegen/device/DeviceFunction.h"
#include "compiler/codegen/device/DeviceProbe.h"
#include "runtime/base/DeviceBuiltins.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

constexpr int64_t kProductThreads = 256; ///< of a block

/// The type in which sums of `element` are computed.
Type sumType(Type element) { return element.isF64() ? element : Float32Type::get(element.getContext()); }

/// The sum of element `index` of all sources.
Value sumOfSources(DeviceFunction &code, Value index, Type element, ArrayRef<Value> sources, Value count) {
  Value sum = code.load(sources.front(), index, element);
  for (size_t source = 1; source < sources.size(); ++source) {
    Value isThere = code.isLess(code.constant(static_cast<int64_t>(source)), count);
    auto branch = scf::IfOp::create(code.builder, code.loc, sumType(element), isThere, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(code.builder);
    code.builder.setInsertionPointToStart(branch.thenBlock());
    Value next = code.load(sources[source], index, element);
    Value added = arith::AddFOp::create(code.builder, code.loc, sum, next);
    scf::YieldOp::create(code.builder, code.loc, added);
    code.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(code.builder, code.loc, sum);
    sum = branch.getResult(0);
  }
  return sum;
}

/// Builds a sum over sources, in order. Each thread adds up elements whose distance is the number of threads
/// of a block.
void emitOrderedSum(ModuleOp into, StringRef name, Type element) {
  SmallVector<bool> isAddress(3 + kMostSummed, true);
  isAddress[1] = isAddress[2] = false;
  DeviceFunction code(into, (kOrderedSumPrefix + name).str(), isAddress);
  Value target = code.parameter(0), elements = code.parameter(1), count = code.parameter(2);
  SmallVector<Value> sources;
  for (unsigned source = 0; source < kMostSummed; ++source)
    sources.push_back(code.parameter(3 + source));
  Value first = code.times(code.block(), kSumElements);
  first = code.plus(first, code.thread());
  for (int64_t at = 0; at < kSumElements; at += kSumThreads) {
    Value index = code.plus(first, at);
    OpBuilder::InsertionGuard guard(code.builder);
    code.onlyIf(code.isLess(index, elements));
    code.store(sumOfSources(code, index, element, sources, count), target, index, element);
  }
}

/// The extents and types of a product.
struct Product {
  explicit Product(graph::MatmulOp op)
      : result(cast<RankedTensorType>(op.getResult().getType())), m(result.getDimSize(result.getRank() - 2)),
        n(result.getShape().back()), transposeA(op.getTransposeA()), transposeB(op.getTransposeB()),
        isOnto(static_cast<bool>(op.getOnto())) {
    auto left = cast<RankedTensorType>(op.getA().getType());
    k = transposeA ? left.getDimSize(left.getRank() - 2) : left.getShape().back();
    a = left.getElementType();
    b = cast<RankedTensorType>(op.getB().getType()).getElementType();
  }

  RankedTensorType result;
  int64_t m, n, k = 0;
  bool transposeA, transposeB, isOnto;
  Type a, b;
};

/// A float of any width as f64.
Value widened(DeviceFunction &code, Value value) {
  const Type wide = code.builder.getF64Type();
  return value.getType() == wide ? value : arith::ExtFOp::create(code.builder, code.loc, wide, value);
}

/// The sum for element number `element` of C: from zero, in the order of k.
Value sumOfProducts(DeviceFunction &code, const Product &product, Value element) {
  const auto &[result, m, n, k, transposeA, transposeB, isOnto, aType, bType] = product;
  Value column = code.remainder(element, n), row = code.remainder(code.quotient(element, n), m);
  Value matrix = code.quotient(element, m * n);
  Value fromA = code.times(matrix, m * k), fromB = code.times(matrix, k * n);
  fromA = code.plus(fromA, code.times(row, transposeA ? 1 : k));
  fromB = code.plus(fromB, code.times(column, transposeB ? k : 1));
  Value begin = code.constant(0), end = code.constant(k), step = code.constant(1);
  Value none = code.zero(code.builder.getF64Type());
  auto loop = scf::ForOp::create(code.builder, code.loc, begin, end, step, ValueRange(none));
  OpBuilder::InsertionGuard guard(code.builder);
  code.builder.setInsertionPointToStart(loop.getBody());
  Value p = loop.getInductionVar();
  Value a =
      widened(code, code.load(code.parameter(0), code.plus(fromA, code.times(p, transposeA ? m : 1)), aType));
  Value b =
      widened(code, code.load(code.parameter(1), code.plus(fromB, code.times(p, transposeB ? 1 : n)), bType));
  Value term = arith::MulFOp::create(code.builder, code.loc, a, b);
  Value sum = arith::AddFOp::create(code.builder, code.loc, loop.getRegionIterArg(0), term);
  scf::YieldOp::create(code.builder, code.loc, sum);
  return loop.getResult(0);
}

} // namespace

SmallVector<int64_t> emitBuiltins(ModuleOp into) {
  Builder builder(into.getContext());
  SmallVector<int64_t> threads;
  for (const auto &[name, element] : {std::pair("f32", Type(builder.getF32Type())),
                                      {"f64", builder.getF64Type()},
                                      {"bf16", builder.getBF16Type()},
                                      {"f16", builder.getF16Type()}}) {
    emitOrderedSum(into, name, element);
    threads.push_back(kSumThreads);
  }
  emitProbe(into);
  threads.push_back(kProbeThreads);
  return threads;
}

DeviceGrid emitReferenceMatmul(func::FuncOp kernel, graph::MatmulOp matmul, ModuleOp into) {
  const Product product(matmul);
  const int64_t tasks = product.result.getNumElements() / product.result.getDimSize(0);
  const DeviceGrid grid = gridOf(tasks, kProductThreads, kProductThreads);
  DeviceFunction code(into, kernel.getName(), {true, true, true, true, false, false});
  Value c = code.parameter(2), begin = code.parameter(4), end = code.parameter(5);
  // The task of a block's first thread is of `row`; those of other threads may be of later rows.
  Value block = code.block(), thread = code.thread();
  Value row = code.plus(begin, code.times(code.quotient(block, grid.across), grid.perBlock));
  Value task = code.plus(code.times(code.remainder(block, grid.across), kProductThreads), thread);
  Value isInside = code.isLess(task, code.constant(grid.perBlock * tasks));
  Value element = code.plus(code.times(row, tasks), task);
  Value isInRange = code.isLess(element, code.times(end, tasks));
  code.onlyIf(arith::AndIOp::create(code.builder, code.loc, isInside, isInRange));
  Value sum = sumOfProducts(code, product, element);
  const Type type = product.result.getElementType();
  if (product.isOnto) {
    Value held = widened(code, code.load(c, element, type));
    sum = arith::AddFOp::create(code.builder, code.loc, held, sum);
  }
  if (!type.isF64())
    sum = arith::TruncFOp::create(code.builder, code.loc, code.builder.getF32Type(), sum);
  code.store(sum, c, element, type);
  return grid;
}

} // namespace windlass::codegen
