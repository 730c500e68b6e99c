// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphStateOps.td - states and steps ------------------*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_STATE_OPS
#define WINDLASS_GRAPH_STATE_OPS

include "dialects/Graph/IR/GraphOpBase.td"

def Graph_StateOp : Graph_Op<"state", [Symbol, HasParent<"::mlir::ModuleOp">,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that lives across steps";
  let description = [{
    `original` is the name in checkpoints. `of` names the parameter to which a momentum, variance or master state
    belongs. `group` is the parameter group: decay, no_decay, frozen, or statistics (running statistics of batch norms,
    which batches change and no optimizer does). A group whose weight decay the training file says by name is called by
    its number (`decay=0.1`); the number itself is `decay` of its parameters. `layer` is the function instance that owns the state ("h.0"), or empty
    for the step itself. `slice` says which part of the tensor `original` this state is, if it is not the whole tensor;
    checkpoints and initial values are those of the whole tensor.

    ```mlir
    graph.state @h.0.mlp.c_fc.weight : tensor<256x1024xf32> role(parameter)
        init(<normal = true, mean = 0.0 : f64, std = 0.02 : f64>) original("h.0.mlp.c_fc.weight") group("decay")
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyStaticShapeTensor>:$type, Graph_RoleAttr:$role,
      Graph_InitAttr:$init, StrAttr:$original, StrAttr:$group, OptionalAttr<FlatSymbolRefAttr>:$of,
      OptionalAttr<Graph_SliceAttr>:$slice, OptionalAttr<F64Attr>:$decay, DefaultValuedAttr<StrAttr, "\"\"">:$layer);
  let assemblyFormat = [{
    $sym_name `:` $type `role` `(` custom<Word>($role) `)` `init` `(` $init `)` `original` `(` $original `)`
    `group` `(` $group `)` (`of` $of^)? (`slice` `(` $slice^ `)`)?
    (`decay` `(` $decay^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Graph_StepOp : Graph_Op<"step", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                     HasParent<"::mlir::ModuleOp">]> {
  let summary = "one task of the runtime: train, evaluate or sample";
  let description = [{
    Only a step reads and writes states, takes feeds and makes reports. `@train` is one optimizer update from one or
    more micro-batches; `@evaluate` and `@sample` are forward passes.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Graph_ReadOp : Graph_Op<"read", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state at the start of the step; never casts";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$state attr-dict `:` type($value)";
}

def Graph_WriteOp : Graph_Op<"write", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state after the step; one write per state";
  let arguments = (ins AnyStaticShapeTensor:$value, FlatSymbolRefAttr:$state);
  let assemblyFormat = "$value `,` $state attr-dict `:` type($value)";
}

def Graph_FeedOp : Graph_Op<"feed", [MemoryEffects<[MemRead]>]> { // that nobody uses is dropped
  let summary = "a tensor that the training loop provides: a batch, the learning rate";
  let description = [{
    Inside `micro_batches` the item is provided for each micro-batch, outside once a step. `bound`: integers are in
    [0, bound). With an `input_role` the item is an input of the model; without, a number that the training loop
    knows.
  }];
  let arguments = (ins StrAttr:$item, DefaultValuedAttr<I64Attr, "0">:$bound,
                       OptionalAttr<Graph_InputRoleAttr>:$input_role);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$item attr-dict `:` type($value)";
  let builders = [
    // A number that the training loop knows.
    OpBuilder<(ins "::mlir::Type":$value, "::llvm::StringRef":$item, CArg<"uint64_t", "0">:$bound),
              [{ build($_builder, $_state, value, item, bound, /*input_role=*/nullptr); }]>
  ];
}

def Graph_ReportOp : Graph_Op<"report"> {
  let summary = "passes a tensor to the training loop: the loss, the norm, logits";
  let description = [{
    Between the passes differentiate and apply-optimizer a step also reports the gradient `of` each parameter that
    it trains.
  }];
  let arguments = (ins StrAttr:$item, AnyStaticShapeTensor:$value, OptionalAttr<FlatSymbolRefAttr>:$gradient_of);
  let assemblyFormat = "$item `,` $value (`gradient` `of` $gradient_of^)? attr-dict `:` type($value)";
}

def Graph_MicroBatchesOp : Graph_Op<"micro_batches", [SingleBlock]> {
  let summary = "its body runs count times; its results are the sums of what it yields";
  let description = [{
    Values are summed over ranks first, then over micro-batches in order; the first micro-batch stores its value. A
    sum may have a wider float type than the yielded value, and is then accumulated in that type. Reads inside see
    the values at the start of the step. A sum is the `gradient_of` a parameter. After parameters are shared out it
    is that of a bucket: of the whole bucket (`gradient_unit` -1, the default), or of one whole unit of it.
  }];
  let arguments = (ins I64Attr:$count, OptionalAttr<FlatSymbolRefArrayAttr>:$gradient_of,
                       OptionalAttr<DenseI64ArrayAttr>:$gradient_unit);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`count` `(` $count `)` $body attr-dict (`:` type($sums)^)?";
  let hasVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator]> {
  let summary = "ends a region with its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
}

#endif
