// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeshChoice.h - the mesh on which a model trains fastest =============//
//
// Duty: `--parallel auto`. A plan is made for each mesh that is open (inputs/Mesh.h), unless a bound says
// that none fits there or that all are slower; the one whose step is simulated as fastest is taken, and of
// nearly equal ones that with fewer tensor ranks. Meshes whose tensor ranks cross nodes are tried where no
// other fits. Over how many ranks a model's operations can be shared out says the model
// (Levels::describeSplits). Where no plan fits on any mesh and the request lets tiles be chosen, each mesh is
// tried with the largest that fit. Another number of tensor ranks changes last bits: the choice is a
// proposal, and its reason says what a training file would. Errors: CannotFit where no plan fits on any mesh,
// with what came of each; BadInput where none can be tried. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <functional>

namespace windlass {

/// A plan that no file has yet.
struct UnwrittenPlan {
  plan::Plan plan;
  /// Adds the reason of its mesh, and writes it where the request wants it.
  std::function<Result<plan::Plan>(const CompileRequest &request, const plan::Reason &mesh)> write;
};

struct MeshChoice {
  CompileRequest request; ///< with its mesh settled
  UnwrittenPlan made;     ///< for it
  plan::Reason reason;    ///< what came of each mesh
};

/// Makes a plan of a request whose mesh is settled.
using PlanMaker = std::function<Result<UnwrittenPlan>(const CompileRequest &request)>;

Result<MeshChoice> chooseMesh(const CompileRequest &request, const PlanMaker &make);

} // namespace windlass
