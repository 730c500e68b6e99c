// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What packing and unpacking undo of each other.

#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace windlass::dist;

/// The members of a pack, where each is taken out as it was put in.
LogicalResult UnpackOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto pack = getPacked().getDefiningOp<PackOp>();
  if (!pack)
    return failure();
  SmallVector<OpFoldResult> found;
  for (auto [member, offset] : llvm::zip_equal(getMembers(), getOffsets())) {
    const auto *at = llvm::find(pack.getOffsets(), offset);
    if (at == pack.getOffsets().end())
      return failure();
    Value put = pack.getMembers()[at - pack.getOffsets().begin()];
    if (put.getType() != member.getType())
      return failure();
    found.push_back(put);
  }
  results.append(found);
  return success();
}

/// The unit that all members come from. Not where members leave gaps: a pack has zeros there, the unit may
/// not.
OpFoldResult PackOp::fold(FoldAdaptor) {
  auto unpack = getMembers().empty() ? UnpackOp() : getMembers().front().getDefiningOp<UnpackOp>();
  if (!unpack || unpack.getMembers() != getMembers() || unpack.getOffsets() != getOffsets() ||
      unpack.getPacked().getType() != getType())
    return {};
  int64_t filled = 0;
  for (Value member : getMembers())
    filled += cast<RankedTensorType>(member.getType()).getNumElements();
  return filled == cast<RankedTensorType>(getType()).getNumElements() ? unpack.getPacked() : Value();
}
