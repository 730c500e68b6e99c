// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphExchangeOps.td - between ranks that share out operations *- tablegen -*-===//

#ifndef WINDLASS_GRAPH_EXCHANGE_OPS
#define WINDLASS_GRAPH_EXCHANGE_OPS

include "dialects/Graph/IR/GraphOpBase.td"

/// An exchange between the `ranks` ranks along the axis `over` of the mesh. Pieces are blocks of dimension 0, in rank
/// order. The placement of a gradient along the axis follows from that of its value: the gradient of a whole value is
/// whole, of a split value split alike, of terms whole. The gradient of the result of a `vary` or of a varied gather
/// is terms.
class Graph_ExchangeOp<string mnemonic, list<Trait> traits = []>
    : Graph_ComputeOp<mnemonic, !listconcat([AdjointInterface], traits)>;

def Graph_VaryOp : Graph_ExchangeOp<"vary", [SameOperandsAndResultType]> {
  let summary = "passes a whole value to ops of which each rank runs a part; moves nothing";
  let description = [{
    The adjoint is the `all_reduce` of the gradients of all parts. With `own_rows` the value is for ops that all
    ranks run in the same way; `split-row-sums` turns their gradients into sums over the own rows of each rank.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$over, I64Attr:$ranks, UnitAttr:$own_rows);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $over `(` $ranks `)` (`own_rows` $own_rows^)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Graph_AllReduceOp : Graph_ExchangeOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "the sum of the ranks' terms, in rank order, on every rank";
  let description = [{
    The adjoint is the gradient itself. `own_rows` exists between `differentiate` and `split-row-sums`: the operand
    is still the sum over all rows.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$over, I64Attr:$ranks, UnitAttr:$own_rows);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $over `(` $ranks `)` (`own_rows` $own_rows^)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Graph_AllGatherOp : Graph_ExchangeOp<"all_gather"> {
  let summary = "the ranks' rows below each other, on every rank";
  let description = [{
    With `varied` the result is for ops of which each rank runs a part, and the adjoint is `reduce_scatter`. Without it
    the result is for ops that all ranks run in the same way, and the adjoint is `own_part`.

    ```mlir
    %all = graph.all_gather %rows over "tp"(2) varied : tensor<64x256xf32> -> tensor<128x256xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$over, I64Attr:$ranks, UnitAttr:$varied);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $over `(` $ranks `)` (`varied` $varied^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_ReduceScatterOp : Graph_ExchangeOp<"reduce_scatter"> {
  let summary = "each rank's rows of the sum of the ranks' terms, in rank order";
  let description = [{Its adjoint is `all_gather`.}];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$over, I64Attr:$ranks);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `over` $over `(` $ranks `)` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_OwnPartOp : Graph_ExchangeOp<"own_part"> {
  let summary = "each rank's rows of a whole value; moves nothing";
  let description = [{Its adjoint is `all_gather`.}];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$over, I64Attr:$ranks);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `over` $over `(` $ranks `)` attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif
