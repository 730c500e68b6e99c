// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNcclCollectives.h - collectives of a simulated NCCL ================//
//
// Duty: NCCL's own collectives, made of transfers between two ranks. Sums go around a ring, as those of NCCL
// may: the sum for rank r begins with rank r + 1 and ends with r, and each addition is rounded to the type.
// So sums of three ranks or more are not in rank order, and sums in 16 bits are rounded more than once.
// Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Nccl.h"

namespace windlass::test::sim_nccl {

cuda::NcclResult allGather(const void *from, void *to, size_t count, cuda::NcclType type,
                           cuda::NcclGroup group, cuda::CuStream stream);
cuda::NcclResult reduceScatter(const void *from, void *to, size_t count, cuda::NcclType type,
                               cuda::NcclOperation operation, cuda::NcclGroup group, cuda::CuStream stream);
cuda::NcclResult reduce(const void *from, void *to, size_t count, cuda::NcclType type,
                        cuda::NcclOperation operation, int root, cuda::NcclGroup group,
                        cuda::CuStream stream);

/// The number of calls of collectives by ranks of this process so far.
int64_t collectives();

} // namespace windlass::test::sim_nccl
