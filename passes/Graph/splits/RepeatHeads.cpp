// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/RepeatHeads.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include <numeric>

using namespace mlir;

namespace windlass::graph {
namespace {

/// Columns of `heads` heads, each `times` times in a row.
Value repeatHeads(OpBuilder &builder, Location loc, Value columns, int64_t heads, int64_t times) {
  RankedTensorType type = typeOf(columns);
  const int64_t rows = type.getDimSize(0), size = type.getDimSize(1) / heads;
  Value apart = buildReshape(builder, loc, columns, {rows, heads, size});
  Value repeated = buildMap(builder, loc, apart, loopsMap(builder.getContext(), 4, {0, 1, 3}),
                            tensorType({rows, heads, times, size}, type.getElementType()),
                            [](const Scalars &, ValueRange in) { return in[0]; });
  return buildReshape(builder, loc, repeated, {rows, heads * times * size});
}

} // namespace

RepeatedAttention repeatKeyHeads(ModuleOp module, int64_t ranks) {
  RepeatedAttention repeated;
  module.walk([&](AttentionOp op) {
    const auto heads = static_cast<int64_t>(op.getHeads());
    const auto keyHeads = static_cast<int64_t>(op.getKvHeads().value_or(heads));
    if (op.getInputs().size() != 3 || heads % ranks != 0 || keyHeads % ranks == 0 || keyHeads == 1)
      return;
    const int64_t all = std::lcm(keyHeads, ranks); // divides the query heads, since both do
    OpBuilder builder(op);
    repeated[op] = {op.getInputs()[1], op.getInputs()[2], keyHeads};
    for (unsigned input : {1, 2}) {
      OpOperand &columns = op.getInputsMutable()[input];
      columns.set(repeatHeads(builder, op.getLoc(), columns.get(), keyHeads, all / keyHeads));
    }
    op.setKvHeads(all);
  });
  return repeated;
}

void takeBack(AttentionOp op, const RepeatedHeads &repeated) {
  for (auto [input, before] : {std::pair(1u, repeated.keys), {2u, repeated.values}}) {
    OpOperand &columns = op.getInputsMutable()[input];
    Value made = columns.get();
    columns.set(before);
    while (made != before && made.use_empty()) {
      Operation *maker = made.getDefiningOp();
      made = maker->getOperand(0);
      maker->erase();
    }
  }
  op.setKvHeads(repeated.keyHeads);
}

} // namespace windlass::graph
