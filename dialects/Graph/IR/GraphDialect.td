// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphDialect.td - what is computed in one training step --*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_DIALECT
#define WINDLASS_GRAPH_DIALECT

include "dialects/Graph/IR/PlanEnums.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::windlass::graph";
  let summary = "what is computed in one training step";
  let description = [{
    The dialect has tensors, states with roles, layer functions, and steps with forward pass, backward pass and
    update. A state is a symbol that only a `graph.step` names. The step reads the value at the start of the step,
    and writes the value at the end of the step, once. Layer functions are pure `func.func`s on tensors. Rationale:
    docs/dialects/graph.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::func::FuncDialect"];
  let useDefaultAttributePrinterParser = 1;
}

/// The role of a state.
def Graph_RoleAttr : PlanEnumAttr<Graph_Dialect, "Role", "StateClass", "role">;

def Graph_InputRoleAttr : PlanEnumAttr<Graph_Dialect, "InputRole", "InputRole", "input_role">;
def Graph_PhaseAttr : PlanEnumAttr<Graph_Dialect, "Phase", "Phase", "phase">;

def Graph_CombineSum : I32EnumAttrCase<"Sum", 0, "sum">;
def Graph_CombineMax : I32EnumAttrCase<"Max", 1, "max">;
def Graph_CombineEnum : I32EnumAttr<"Combine", "how a reduction combines values",
    [Graph_CombineSum, Graph_CombineMax]> {
  let cppNamespace = "::windlass::graph";
  let genSpecializedAttr = 0;
}
def Graph_CombineAttr : EnumAttr<Graph_Dialect, Graph_CombineEnum, "combine"> {
  let assemblyFormat = "$value";
}

/// The kind of a loop of a compute op (GraphInterfaces.td).
def Graph_LoopKindEnum : I32EnumAttr<"LoopKind", "what an op becomes whose loop is shared out", [
  I32EnumAttrCase<"Parallel", 0, "parallel">, I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Whole", 2, "whole">]> {
  let cppNamespace = "::windlass::graph";
  let genSpecializedAttr = 0;
}

def Graph_LayerPassEnum : I32EnumAttr<"LayerPass", "what a function made of a layer function computes", [
  I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Backward", 1, "backward">,
  I32EnumAttrCase<"Repeating", 2, "repeating">]> {
  let cppNamespace = "::windlass::graph";
  let genSpecializedAttr = 0;
}

/// An attribute of the functions that training makes of a layer function.
def Graph_LayerFormAttr : AttrDef<Graph_Dialect, "LayerForm"> {
  let mnemonic = "layer_form";
  let summary = "the layer function from which a function was made, and which pass of it the function computes";
  let parameters = (ins EnumParameter<Graph_LayerPassEnum>:$pass, "::mlir::StringAttr":$function);
  let description = [{
    A `forward` function returns what the `backward` function reads. A `repeating` function is a backward pass that
    first repeats the ops of the forward pass whose results were not kept. `function` is not a symbol reference,
    because it does not keep the layer function alive.
  }];
  let assemblyFormat = "`<` $pass `of` $function `>`";
}

/// The place of the first values of a tensor in a file.
def Graph_SourceAttr : AttrDef<Graph_Dialect, "Source"> {
  let mnemonic = "source";
  let summary = "a tensor in a weight file";
  let parameters = (ins "::mlir::StringAttr":$file, "::mlir::StringAttr":$tensor, "::mlir::StringAttr":$element,
                        "int64_t":$offset, "bool":$transposed);
  let description = [{
    `file` is the path of one of the `windlass.weights` of the module. From byte `offset` on, the file holds the
    elements of the whole tensor, row-major and back to back, in the type `element`: F64, F32, F16 or BF16. `tensor`
    is the name of the tensor in the file. A `transposed` source has the two dimensions in the other order.
  }];
  let assemblyFormat = "`<` $file `,` $tensor `,` $element `at` $offset `,` `transposed` `=` $transposed `>`";
}

/// How a state gets its first value: from a file, normal(mean, std) or constant(value).
def Graph_InitAttr : AttrDef<Graph_Dialect, "Init"> {
  let mnemonic = "init";
  let summary = "initialiser of a state";
  let parameters = (ins "bool":$normal, "::mlir::FloatAttr":$mean, "::mlir::FloatAttr":$std,
                        OptionalParameter<"::windlass::graph::SourceAttr">:$source);
  let description = [{
    With a `source` the values come from a file. Otherwise, with `normal`, they are drawn from N(mean, std) by the
    counter-based generator, whose key is the original name of the state. Without `normal` every element is `mean`.
  }];
  let assemblyFormat = "`<` `normal` `=` $normal `,` `mean` `=` $mean `,` `std` `=` $std (`,` `source` `=` $source^)? `>`";
}

/// The encoding of a tensor type.
def Graph_PitchAttr : AttrDef<Graph_Dialect, "Pitch",
                              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "pitch";
  let summary = "distance of the rows of a tensor in memory";
  let parameters = (ins "int64_t":$elements);
  let description = [{
    A row runs along the last dimension. `elements` is the number of elements from the beginning of a row to the
    beginning of the next; elements after the end of a row have no meaning. Without this attribute rows are stored
    back to back.
  }];
  let assemblyFormat = "`<` $elements `>`";
}

/// The part of a larger tensor that a state holds.
def Graph_SliceAttr : AttrDef<Graph_Dialect, "Slice"> {
  let mnemonic = "slice";
  let summary = "a range of each dimension of a tensor";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$whole, "::mlir::DenseI64ArrayAttr":$begin);
  let description = [{
    The tensor has the shape `whole`; in each dimension the slice begins at `begin` and is as long as its own
    type says.
  }];
  let assemblyFormat = "`<` $whole `from` $begin `>`";
}

#endif
