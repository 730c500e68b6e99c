// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphOpBase.td - what all ops of the graph dialect share -*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_OP_BASE
#define WINDLASS_GRAPH_OP_BASE

include "dialects/Graph/IR/GraphDialect.td"
include "dialects/Graph/IR/GraphInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;
class Graph_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Pure], traits)>;

def LoopInterface : DeclareOpInterfaceMethods<IterationSpaceOpInterface>;
def AdjointInterface : DeclareOpInterfaceMethods<DifferentiableOpInterface>;
def Decomposition : DeclareOpInterfaceMethods<DecomposableOpInterface>;
def CompositeDecomposition : DeclareOpInterfaceMethods<DecomposableOpInterface, ["isOneKernel"]>;

#endif
