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
  let summary = "a whole value, for ops that each rank runs a part of; moves nothing";
  let description = [{
    Its adjoint is the `all_reduce` of what the ranks' parts ask for. `own_rows`: for ops that all ranks run alike, of
    whose gradients `split-row-sums` makes sums over each rank's own rows.
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
    Its adjoint is the gradient itself. `own_rows`, between `differentiate` and `split-row-sums`: its operand is the sum
    over all rows still.
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
    `varied`: for ops that each rank runs a part of, and the adjoint is `reduce_scatter`. Otherwise for ops that all
    ranks run alike, and the adjoint is `own_part`.

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
