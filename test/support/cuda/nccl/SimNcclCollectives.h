// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimNcclCollectives.h - collectives of a simulated NCCL =============//
//
// Duty: the collectives that NCCL has itself, made of bytes between two ranks. Sums go around a ring, as
// NCCL's may: the sum of rank r begins with rank r + 1 and ends with r, and each addition is rounded to the
// type; so it is no sum in rank order wherever there are three ranks, and in 16 bits no sum that is rounded
// once. Threads: any.
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

/// Those that ranks of this process called until now.
int64_t collectives();

} // namespace windlass::test::sim_nccl
