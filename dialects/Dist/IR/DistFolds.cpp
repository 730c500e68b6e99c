// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of pack and unpack, which undo each other.

#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace windlass::dist;

/// An unpack of a pack that has members of the same types at the same offsets becomes these members.
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

/// A pack of all members of an unpack becomes the unpacked unit. Not if members leave gaps: the pack has
/// zeros there, and the unit may have other numbers.
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
