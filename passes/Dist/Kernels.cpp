// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/Kernels.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/xxhash.h"
#include <cstdio>

using namespace mlir;

namespace windlass::dist {
namespace {

/// What the op of a kernel computes, as text: name, attributes that are part of it, types, body.
std::string contentOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // One state for all that is printed, and no verification: both would take most of the time.
  AsmState state(op->getParentOp(), OpPrintingFlags().useLocalScope().assumeVerified());
  stream << op->getName();
  op->getPropertiesAsAttribute().print(stream, state);
  for (Type type : op->getOperandTypes()) {
    type.print(stream, state);
    stream << ";";
  }
  stream << "->";
  for (Type type : op->getResultTypes()) {
    type.print(stream, state);
    stream << ";";
  }
  if (op->getNumRegions() > 0)
    op->print(stream, state);
  return text;
}

/// Equal for ops that compute the same.
llvm::hash_code hashOf(Operation *op) {
  llvm::hash_code hash =
      llvm::hash_combine(op->getName(), op->hashProperties(), llvm::hash_combine_range(op->getOperandTypes()),
                         llvm::hash_combine_range(op->getResultTypes()));
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      hash = llvm::hash_combine(hash, hashOf(&inner));
  return hash;
}

/// The values of two bodies that are compared: each value of one body with its counterpart in the other.
class PairedValues {
public:
  LogicalResult check(Value a, Value b) const {
    auto known = pairs.find(a);
    return success(known == pairs.end() ? a == b : known->second == b);
  }
  void mark(Value a, Value b) { pairs[a] = b; }

private:
  llvm::DenseMap<Value, Value> pairs;
};

bool haveSameBodies(Operation *a, Operation *b) {
  PairedValues values;
  return llvm::all_of(llvm::zip_equal(a->getRegions(), b->getRegions()), [&](auto regions) {
    return OperationEquivalence::isRegionEquivalentTo(
        &std::get<0>(regions), &std::get<1>(regions), [&](Value l, Value r) { return values.check(l, r); },
        [&](Value l, Value r) { values.mark(l, r); }, OperationEquivalence::IgnoreLocations);
  });
}

} // namespace

std::optional<unsigned> ontoArgument(func::FuncOp kernel) {
  if (kernel.isExternal())
    return std::nullopt;
  auto op = dyn_cast<graph::AccumulatingOpInterface>(kernel.getBody().front().front());
  if (!op || !op.getOnto())
    return std::nullopt;
  return cast<BlockArgument>(op.getOnto()).getArgNumber();
}

bool isLibraryKernel(func::FuncOp kernel) {
  return !kernel.isExternal() && isa<graph::MatmulOp>(kernel.getBody().front().front());
}

unsigned KernelTable::SameComputation::getHashValue(const Operation *op) {
  return static_cast<unsigned>(hashOf(const_cast<Operation *>(op)));
}

bool KernelTable::SameComputation::isEqual(const Operation *left, const Operation *right) {
  auto *a = const_cast<Operation *>(left), *b = const_cast<Operation *>(right);
  if (a == b || a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() || b == getTombstoneKey())
    return a == b;
  return a->getName() == b->getName() && a->getNumRegions() == b->getNumRegions() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage()) &&
         llvm::equal(a->getOperandTypes(), b->getOperandTypes()) &&
         llvm::equal(a->getResultTypes(), b->getResultTypes()) && haveSameBodies(a, b);
}

void KernelTable::readModule() {
  isRead = true;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kKernelAttr))
      computations.insert(&function.getBody().front().front());
}

func::FuncOp KernelTable::getOrCreate(Operation *op) {
  if (!isRead)
    readModule();
  if (auto known = computations.find(op); known != computations.end())
    return (*known)->getParentOfType<func::FuncOp>();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = func::FuncOp::create(builder, op->getLoc(), "",
                                     builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  kernel.setPrivate();
  kernel->setAttr(kKernelAttr, builder.getUnitAttr());
  Block *block = kernel.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip_equal(op->getOperands(), block->getArguments()))
    mapping.map(operand, argument);
  Operation *copy = builder.clone(*op, mapping);
  copy->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  for (auto [i, argument] : llvm::enumerate(block->getArguments()))
    copy->setOperand(i, argument);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(llvm::xxh3_64bits(contentOf(copy))));
  kernel.setName((op->getName().stripDialect() + "_" + StringRef(hash, 10)).str());
  computations.insert(copy);
  return kernel;
}

func::FuncOp KernelTable::build(ArrayRef<Type> inputs,
                                llvm::function_ref<Value(OpBuilder &, ValueRange)> body) {
  // Built in a function of its own, so that the op has operands to take.
  OwningOpRef<ModuleOp> holder = ModuleOp::create(module.getLoc());
  OpBuilder builder(holder->getBodyRegion());
  auto function = func::FuncOp::create(builder, module.getLoc(), "k", builder.getFunctionType(inputs, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value value = body(builder, function.getArguments());
  return getOrCreate(value.getDefiningOp());
}

func::FuncOp KernelTable::add(RankedTensorType a, RankedTensorType b) {
  return build({a, b}, [](OpBuilder &builder, ValueRange in) {
    return graph::buildAdd(builder, in[0].getLoc(), in[0], in[1]);
  });
}

func::FuncOp KernelTable::convert(RankedTensorType from, Type element) {
  return build({from}, [&](OpBuilder &builder, ValueRange in) {
    return graph::buildElementwise(builder, in[0].getLoc(), in[0], graph::withElement(from, element),
                                   [](const graph::Scalars &, ValueRange scalars) { return scalars[0]; });
  });
}

func::FuncOp KernelTable::zero(Type element, int64_t elements) {
  return build({}, [&](OpBuilder &builder, ValueRange) {
    return graph::buildFull(builder, module.getLoc(), RankedTensorType::get({elements}, element), 0);
  });
}

func::FuncOp KernelTable::sumOfSquares(Type element, int64_t elements, int64_t rows) {
  const SmallVector<int64_t> shape = rows == 1 ? SmallVector<int64_t>{elements} : SmallVector{rows, elements};
  auto type = RankedTensorType::get(shape, element);
  func::FuncOp &kernel = squares[type];
  if (kernel)
    return kernel;
  return kernel = build({type}, [&](OpBuilder &builder, ValueRange in) {
           Type f64 = builder.getF64Type();
           return graph::buildReduce(
               builder, in[0].getLoc(), graph::Combine::Sum, {type.getRank() - 1}, in,
               {graph::identityMap(builder.getContext(), static_cast<unsigned>(type.getRank()))},
               RankedTensorType::get(ArrayRef(shape).drop_back(), f64),
               [&](const graph::Scalars &s, ValueRange scalars) {
                 Value wide = s.cast(scalars[0], f64);
                 return s.mul(wide, wide);
               });
         });
}

func::FuncOp KernelTable::spreadColumns(int64_t rows, int64_t columns, int64_t columnsRead, int64_t copies) {
  Type f64 = Float64Type::get(module.getContext());
  return build({RankedTensorType::get({rows, columns}, f64)}, [&](OpBuilder &builder, ValueRange in) {
    const AffineMap map = graph::loopsMap(builder.getContext(), 3, {1, 0});
    return graph::buildMap(builder, in[0].getLoc(), in, {map},
                           RankedTensorType::get({columnsRead, rows, copies}, f64),
                           [](const graph::Scalars &, ValueRange scalars) -> Value { return scalars[0]; });
  });
}

} // namespace windlass::dist
