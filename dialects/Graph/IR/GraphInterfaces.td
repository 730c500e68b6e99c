// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphInterfaces.td - what an op says about itself --------*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_INTERFACES
#define WINDLASS_GRAPH_INTERFACES

include "mlir/IR/OpBase.td"

def IterationSpaceOpInterface : OpInterface<"IterationSpaceOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    The loops of a compute op, stated once: extents, kinds, and the map from each operand's
    and result's dimensions to them (an einsum, in effect). FLOP and byte cost, sharding
    rules, tiling rules and loop code generation follow from it. The kind of a loop says what
    becomes of the op where ranks share the loop out: of a `parallel` one each makes its part
    of the results, of a `sum` one each makes terms, which added up are the results, and a
    `whole` one is a row that is gone through at once and never shared out.
  }];
  let methods = [
    InterfaceMethod<"Extent of every loop, outermost first; a parallel loop comes first.",
      "::llvm::SmallVector<int64_t>", "getIterationExtents">,
    InterfaceMethod<"What each loop is.",
      "::llvm::SmallVector<::windlass::graph::LoopKind>", "getLoopKinds">,
    InterfaceMethod<"Per tensor operand: loops -> its indices; a null map where data decides (embedding).",
      "::llvm::SmallVector<::mlir::AffineMap>", "getOperandMaps">,
    InterfaceMethod<"Per result: loops -> its indices.",
      "::llvm::SmallVector<::mlir::AffineMap>", "getResultMaps">,
    InterfaceMethod<"Floating-point operations of one execution.", "double", "getFlops">,
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::windlass::graph";
  let description = [{
    An op that builds its own adjoint from graph ops. Whatever the adjoint reads of
    the op's operands and results becomes a residual; auxiliaries (log-sum-exp,
    reciprocal deviation) are ordinary extra results.
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
    A coarse op that says what it means in maps, reductions and matmuls. The
    decomposition is the oracle of every fast kernel, and what code is generated from.
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
    An op that can add what it computes to a tensor it takes, whose place the result then has: sums over
    tiles need no memory of their own.
  }];
  let methods = [InterfaceMethod<"The tensor that is added to; null if there is none.", "::mlir::Value", "getOnto">];
}

#endif
