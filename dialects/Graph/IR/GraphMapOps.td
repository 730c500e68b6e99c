// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphMapOps.td - every elementwise op, activation and optimizer *- tablegen -*-===//

#ifndef WINDLASS_GRAPH_MAP_OPS
#define WINDLASS_GRAPH_MAP_OPS

include "dialects/Graph/IR/GraphOpBase.td"

def Graph_MapOp : Graph_ComputeOp<"map", [SingleBlock, IsolatedFromAbove, LoopInterface, AdjointInterface]> {
  let summary = "one scalar body for every element of its results";
  let description = [{
    The loops are the dimensions of the results, which all have the same shape. `maps` gives for every input the affine
    map from loops to its indices. An index is a sum of loops times constants plus a constant, and is inside its
    dimension in every iteration. This allows identities, permutations, broadcasts (fewer results), fixed indices,
    slices and windows. The derivative supports windows of two loops. Bodies are `arith` and `math` on scalars,
    `graph.index`, `graph.lookup` and `graph.random`.

    ```mlir
    %y = graph.map ins(%x, %b : tensor<128x256xf32>, tensor<256xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<128x256xf32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      graph.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapArrayAttr:$maps);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `maps` $maps `->` type($results) $body attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMapValues() {
      return ::llvm::to_vector(getMaps().getAsValueRange<::mlir::AffineMapAttr>());
    }
    ::mlir::OperandRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
  }];
}

def Graph_ReduceOp : Graph_ComputeOp<"reduce", [SingleBlock, IsolatedFromAbove, LoopInterface, AdjointInterface]> {
  let summary = "sum or maximum of a scalar body over some loops";
  let description = [{
    Loops d0..dn-1 take their extents from the shapes of the inputs through `maps`: every loop is the plain index of
    at least one input. Where windows are read this is impossible, and `extents` lists the extents. `dims` are the
    loops that are reduced. The results have the other loops, in order, as dimensions (rank 0 if none is left).
    Indices have the same form as in a map. The body yields the values that are combined. Values are accumulated in
    the element type of the result.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapArrayAttr:$maps, Graph_CombineAttr:$combine,
                       DenseI64ArrayAttr:$dims, OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Word>($combine) `over` $dims (`of` $extents^)? `ins` `(` $inputs `:` type($inputs) `)` `maps` $maps `->` type($results) $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMapValues() {
      return ::llvm::to_vector(getMaps().getAsValueRange<::mlir::AffineMapAttr>());
    }
    ::mlir::OperandRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
  }];
}

def Graph_IndexOp : Graph_Op<"index", [Pure]> {
  let summary = "the value of a loop, inside a map or reduction";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Index:$value);
  let assemblyFormat = "$dim attr-dict `:` type($value)";
}

def Graph_LookupOp : Graph_Op<"lookup", [Pure]> {
  let summary = "an element of a table of literals, inside a map or reduction";
  let description = [{
    Literal tensors are maps that read nothing. They are thus fused like any other map, and take no memory.

    ```mlir
    %v = graph.lookup dense<[1.0, 0.5]> : tensor<2xf32> [%i] : f32
    ```
  }];
  let arguments = (ins ElementsAttr:$table, Variadic<Index>:$indices);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$table `[` $indices `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Graph_RandomOp : Graph_Op<"random", [Pure]> {
  let summary = "a random number in [0, 1), inside a map or reduction";
  let description = [{
    The value is number (row, column) of the Philox stream of a key (`runtime/base/Random.h`): a multiple of 2^-24. It
    depends on nothing else, so that it can be drawn again instead of being kept.

    ```mlir
    %u = graph.random %key0, %key1 [%row, %column] : f32
    ```
  }];
  let arguments = (ins I32:$key0, I32:$key1, Index:$row, Index:$column);
  let results = (outs F32:$value);
  let assemblyFormat = "$key0 `,` $key1 `[` $row `,` $column `]` attr-dict `:` type($value)";
}

def Graph_ReshapeOp : Graph_ComputeOp<"reshape", [AdjointInterface]> {
  let summary = "the same elements in the same row-major order under another shape; moves nothing";
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_StackOp : Graph_ComputeOp<"stack", [LoopInterface, AdjointInterface]> {
  let summary = "places its inputs side by side along a loop";
  let description = [{
    Along a new loop, which `map` does not use, each input takes one index of dimension `axis`: result[i.., c, ..] =
    inputs[c][map(i)]. Along a loop that is an index of the inputs, each input takes as many indices as its extent
    in that dimension.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapAttr:$map, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "`axis` $axis `ins` `(` $inputs `:` type($inputs) `)` `map` $map attr-dict `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extent along dimension `axis` that each input takes.
    ::llvm::SmallVector<int64_t> getParts();
  }];
}

def Graph_PadOp : Graph_ComputeOp<"pad", [LoopInterface, AdjointInterface]> {
  let summary = "places its input inside a larger tensor";
  let description = [{
    In every dimension result[before + step * i] = input[i]; every other element is `value`. A pad puts back what a
    slice reads: each is the adjoint of the other.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, DenseI64ArrayAttr:$before, DenseI64ArrayAttr:$steps,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `before` $before `steps` $steps attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The map from indices of the input to indices of the result.
    ::mlir::AffineMap getPlacement();
  }];
}

#endif
