// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/MeshChoice.h"

#include "compiler/driver/inputs/Mesh.h"
#include "runtime/plan/Reasons.h"

namespace windlass {

Result<Choice> chooseMesh(const CompileRequest &request, const PlanMaker &make) {
  Result<std::vector<Mesh>> meshes = openMeshes(request);
  if (!meshes)
    return meshes.status();
  PlanChoice choice(request, plan::Decision::Parallel, make);
  const auto tryAll = [&](Result<bool> (PlanChoice::*tryOne)(const Option &)) {
    choice.begin();
    for (const Mesh &mesh : *meshes) {
      const Option option = {mesh.text(),
                             settledOn(request, mesh),
                             {{plan::Figure::MicroBatches, static_cast<double>(mesh.microBatches)}}};
      if (!mesh.refusal.empty())
        choice.ruleOut({option.text, request}, mesh.refusal);
      else if (mesh.crossesNodes && choice.hasFound())
        choice.ruleOut(option, "its tensor ranks cross nodes: such meshes are tried where no other fits");
      else
        WINDLASS_TRY((choice.*tryOne)(option).status());
    }
    return Status::ok();
  };
  WINDLASS_TRY(tryAll(&PlanChoice::tryOption));
  if (!choice.hasFound() && request.chooseTiles)
    WINDLASS_TRY(tryAll(&PlanChoice::tryTiles));
  return choice.finish("on any mesh");
}

} // namespace windlass
