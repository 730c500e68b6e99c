// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeshChoice.h - the mesh on which a model trains fastest ===============//
//
// Duty: `--parallel auto`: which of the meshes that are open (inputs/Mesh.h) is fastest, and of nearly equal
// ones that with fewer tensor ranks. Meshes whose tensor ranks cross nodes are tried where no other fits.
// Over how many ranks a model's operations can be shared out says the model (Levels::describeSplits). Where
// no plan fits on any mesh and the request lets tiles be chosen, each mesh is tried with the largest that
// fit. Another number of tensor ranks changes last bits: the choice is a proposal, and its reason says what a
// training file would. Errors, threads: PlanChoice.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/questions/PlanChoice.h"

namespace windlass {

Result<Choice> chooseMesh(const CompileRequest &request, const PlanMaker &make);

} // namespace windlass
