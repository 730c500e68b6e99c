// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mesh.h - data-parallel and tensor ranks that nobody said ==============//
//
// Duty: the meshes that `--parallel auto` leaves open: all data-parallel and tensor ranks that a machine's
// ranks make with the training file's stages of a pipeline. Each trains as many examples a step as the file
// says, in micro-batches of the same size: another size may change more than last bits. Where the file says
// the number of micro-batches in place of their size, this is the size that they have on the file's own mesh.
// Errors: those of readInputs(); BadInput also where the size of micro-batches follows from nothing. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"

namespace windlass {

/// CompileRequest::parallel where the mesh is open.
inline constexpr const char *kOpenMesh = "auto";

struct Mesh {
  int64_t data = 1, tensor = 1, pipeline = 1;
  int64_t microBatch = 1, microBatches = 1; ///< that make the global batch
  bool crossesNodes = false;                ///< tensor ranks that exchange activations are not of one node
  std::string refusal = {};                 ///< why it cannot make the global batch; empty: it can

  /// As `--parallel` says it: "data=2,tensor=4", with "pipeline=2" where there are stages.
  std::string text() const;
};

/// Those with the fewest tensor ranks first, and those within nodes before those that cross them. One at
/// least can make the global batch.
Result<std::vector<Mesh>> openMeshes(const CompileRequest &request);
/// The same request with its mesh settled.
CompileRequest settledOn(CompileRequest request, const Mesh &mesh);

} // namespace windlass
