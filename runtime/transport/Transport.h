// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Transport.h - how ranks exchange bytes ================================//
//
// Duty: the four collectives a plan may use, each one group of calls of the same name in NCCL. All ranks call
// the same ones in the same order, each from one thread; a call blocks until its part is complete, or, where
// the transport was made over streams, until it stands in that of its rank. Bytes lie in device memory. A
// call allocates nothing. Ownership: spans belong to the caller; the list of tensors may be reused when the
// call returns, bytes when it is complete. Units: bytes. Errors: after abort() every call, running or new,
// fails.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace windlass {

/// A whole tensor: rank q's piece lies at q * pieceBytes. Of broadcast and reduce it is one piece.
struct WholeTensor {
  std::byte *data = nullptr;
  int64_t pieceBytes = 0;
};

/// Bytes of the pieces of one rank: one piece of each tensor.
int64_t bytesOfPieces(std::span<const WholeTensor> whole);
/// Internal if these pieces are larger than a shard of `shard` bytes.
Status checkShard(std::span<const WholeTensor> whole, size_t shard);

class Transport {
public:
  virtual ~Transport() = default;

  /// From every rank's shard (its pieces back to back) to the whole tensors of this rank.
  virtual Status allGather(int64_t rank, std::span<const std::byte> shard,
                           std::span<const WholeTensor> whole) = 0;

  /// Sums the ranks' whole tensors in rank order (f32 accumulation, f64 for f64, one rounding) and
  /// leaves this rank its pieces back to back; the rest of the shard becomes zero. `staging`: memory of this
  /// rank's for what others bring until it is summed, where the plan has such; it is the transport's until
  /// the call is complete.
  virtual Status reduceScatter(int64_t rank, plan::ElementType type, std::span<std::byte> shard,
                               std::span<const WholeTensor> whole, std::span<std::byte> staging) = 0;

  /// From the shard of one rank, `root` (whole tensors back to back), to the whole tensors of this one. Other
  /// ranks bring no shard, and the root may take no tensors: between two ranks that is a message.
  virtual Status broadcast(int64_t rank, int64_t root, std::span<const std::byte> shard,
                           std::span<const WholeTensor> whole) = 0;

  /// Sums the ranks' whole tensors as reduceScatter does and leaves them all to one rank, `root`.
  virtual Status reduce(int64_t rank, int64_t root, plan::ElementType type, std::span<std::byte> shard,
                        std::span<const WholeTensor> whole, std::span<std::byte> staging) = 0;

  /// Releases every rank that waits; for good. Any thread.
  virtual void abort() = 0;
};

} // namespace windlass
