// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/homes/StagingHomes.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Flow/homes/Homes.h"
#include <map>

using namespace mlir;

namespace windlass::flow {

std::string stagingHome(Lane lane) { return "staging." + std::string(plan::textOf(lane)); }

int64_t ranksOfSum(CollectiveOpInterface collective) {
  dist::MeshOp mesh = dist::meshOf(collective);
  if (!mesh || collective.bringsUnits())
    return 1;
  return mesh.groupRanks(collective.axes());
}

void declareStagingHomes(OpBuilder &builder, ModuleOp module, int64_t most) {
  std::map<Lane, int64_t> needed;
  for (auto section : module.getOps<SectionOp>())
    for (auto sum : section.getBody().front().getOps<CollectiveOpInterface>())
      if (const int64_t others = ranksOfSum(sum) - 1; others > 0) {
        int64_t &bytes = needed[*cast<InstructionOpInterface>(sum.getOperation()).deriveLane()];
        const int64_t piece = *llvm::max_element(sum.getPieceBytes());
        bytes = std::max(bytes, std::min(most, others * roundUp(piece, kShardGranule)));
      }
  for (auto [lane, bytes] : needed)
    if (bytes > 0)
      HomeOp::create(builder, module.getLoc(), stagingHome(lane), bytes, BufferClass::Workspace, Tier::Device,
                     FlatSymbolRefAttr(), graph::RoleAttr(), /*unit=*/-1, /*use=*/0, TypeAttr());
}

} // namespace windlass::flow
