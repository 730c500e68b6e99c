// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphInterfaces.td - what an op says about itself --------*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_INTERFACES
#define WINDLASS_GRAPH_INTERFACES

include "mlir/IR/OpBase.td"

def IterationSpaceOpInterface : OpInterface<"IterationSpaceOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    The interface states the loops of a compute op once: their extents, their kinds, and the maps from the loops to
    the dimensions of each operand and result (in effect an einsum). Costs in FLOP and bytes, sharding rules, tiling
    rules and loop code generation follow from it. The kind of a loop says what happens if ranks share the loop out.
    With a `parallel` loop each rank makes its part of the results. With a `sum` loop each rank makes terms, whose
    sum is the results. A `whole` loop is a row that is processed at once and never shared out.
  }];
  let methods = [
    InterfaceMethod<"Extent of every loop, outermost first; a parallel loop comes first.",
      "::llvm::SmallVector<int64_t>", "getIterationExtents">,
    InterfaceMethod<"What each loop is.",
      "::llvm::SmallVector<::windlass::graph::LoopKind>", "getLoopKinds">,
    InterfaceMethod<"Per tensor operand: the map from loops to its indices; null where data decide (embedding).",
      "::llvm::SmallVector<::mlir::AffineMap>", "getOperandMaps">,
    InterfaceMethod<"Per result: the map from loops to its indices.",
      "::llvm::SmallVector<::mlir::AffineMap>", "getResultMaps">,
    InterfaceMethod<"Floating-point operations of one execution.", "double", "getFlops">,
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    An op that builds its own adjoint from graph ops. The operands and results of the op that the adjoint reads
    become residuals. Auxiliary values (log-sum-exp, reciprocal deviation) are ordinary additional results.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds d(loss)/d(operand) for every operand i with needed[i], given d(loss)/d(result)
      (null where a result does not reach the loss). Leaves null where the gradient is zero.
    }], "::mlir::LogicalResult", "buildAdjoint",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
           "::llvm::ArrayRef<bool>":$needed, "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    A coarse op that can be decomposed into maps, reductions and matmuls. The decomposition is the reference for
    every fast kernel, and code is generated from it.
  }];
  let methods = [
    InterfaceMethod<"Builds the equivalent ops before this one and returns the replacements of its results.",
      "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
      True if the whole op is one generated kernel (row by row over its outermost loop);
      false if it must be decomposed before kernels are formed (attention).
    }], "bool", "isOneKernel", (ins), "", "return true;">,
  ];
}

def AccumulatingOpInterface : OpInterface<"AccumulatingOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    An op that can add its result to a tensor that it takes as an operand. The result is then stored in place of
    that tensor, so that sums over tiles need no memory of their own.
  }];
  let methods = [InterfaceMethod<"The tensor that is added to; null if there is none.", "::mlir::Value", "getOnto">];
}

#endif
