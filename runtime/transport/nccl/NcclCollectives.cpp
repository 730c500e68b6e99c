// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers and sums that NCCL makes itself. What is broadcast, and messages, are bytes that it sends and
// receives either way.
#include "runtime/plan/Enums.h"
#include "runtime/transport/nccl/NcclTransport.h"

namespace windlass {

using cuda::NcclType;

namespace {

NcclType typeOf(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return cuda::kNcclF32;
  case plan::ElementType::F64:
    return cuda::kNcclF64;
  case plan::ElementType::BF16:
    return cuda::kNcclBf16;
  case plan::ElementType::F16:
    return cuda::kNcclF16;
  case plan::ElementType::I32: // is not summed (DeviceSum.h)
    break;
  }
  return cuda::kNcclByte;
}

} // namespace

Status NcclTransport::gatherByNccl(int64_t rank, const std::byte *shard, std::span<const WholeTensor> whole) {
  const Member &member = members[static_cast<size_t>(rank)];
  return together(member, [&] {
    for (const WholeTensor &tensor : whole) {
      if (tensor.pieceBytes > 0)
        WINDLASS_TRY(check(nccl.allGather(shard, tensor.data, static_cast<size_t>(tensor.pieceBytes),
                                          cuda::kNcclByte, member.group, member.stream),
                           "ncclAllGather"));
      shard += tensor.pieceBytes;
    }
    return Status::ok();
  });
}

/// For one rank, or where there is no root a piece for each.
Status NcclTransport::sumByNccl(int64_t rank, int64_t root, plan::ElementType type, std::byte *shard,
                                std::span<const WholeTensor> whole) {
  const Member &member = members[static_cast<size_t>(rank)];
  return together(member, [&] {
    for (const WholeTensor &tensor : whole) {
      const auto count = static_cast<size_t>(tensor.pieceBytes / plan::bytesOf(type));
      if (count > 0)
        WINDLASS_TRY(root == plan::kEveryRank
                         ? check(nccl.reduceScatter(tensor.data, shard, count, typeOf(type), cuda::kNcclSum,
                                                    member.group, member.stream),
                                 "ncclReduceScatter")
                         : check(nccl.reduce(tensor.data, shard, count, typeOf(type), cuda::kNcclSum,
                                             static_cast<int>(root), member.group, member.stream),
                                 "ncclReduce"));
      if (shard)
        shard += tensor.pieceBytes;
    }
    return Status::ok();
  });
}

} // namespace windlass
