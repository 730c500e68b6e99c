// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/ReferenceCollectives.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace windlass {

namespace {

constexpr int64_t kBlock = 64 << 10; // bytes

template <typename T> T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> void store(std::byte *at, T value) { std::memcpy(at, &value, sizeof(T)); }

/// f16 by arithmetic; the transports have it by bits (runtime/base/F16.h).
float floatOfHalf(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float magnitude = exponent == 31
                              ? std::bit_cast<float>(0x7F800000u | static_cast<uint32_t>(fraction) << 13)
                              : std::ldexp(static_cast<float>(exponent == 0 ? fraction : 1024 + fraction),
                                           std::max(exponent, 1) - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t nearestHalf(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::abs(value);
  if (std::isnan(value))
    return sign | 0x7E00 | (std::bit_cast<uint32_t>(value) >> 13 & 0x1FF);
  if (magnitude >= 65520) // half way to the number that would follow the largest
    return sign | 0x7C00;
  // In units of the last place, of which a number of f16 has less than 2048, and one exponent has 1024.
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const auto units = static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | static_cast<uint16_t>(units + (exponent + 14) * 1024);
}

/// The sum over ranks of the element `offset` bytes into each rank's block, stored there in `sums`.
Status sumElement(plan::ElementType type, std::span<const std::vector<std::byte>> blocks,
                  std::span<std::byte> sums, int64_t offset) {
  std::byte *out = sums.data() + offset;
  auto sumAs = [&]<typename Sum>(Sum, auto read) {
    Sum sum = read(blocks[0].data() + offset);
    for (size_t rank = 1; rank < blocks.size(); ++rank)
      sum = sum + read(blocks[rank].data() + offset);
    return sum;
  };
  switch (type) {
  case plan::ElementType::F32:
    store(out, sumAs(0.0f, load<float>));
    return Status::ok();
  case plan::ElementType::F64:
    store(out, sumAs(0.0, load<double>));
    return Status::ok();
  case plan::ElementType::BF16: {
    auto widen = [](const std::byte *at) { return std::bit_cast<float>(uint32_t{load<uint16_t>(at)} << 16); };
    float sum = sumAs(0.0f, widen);
    auto bits = std::bit_cast<uint32_t>(sum);
    uint32_t low = bits & 0xFFFF, high = bits >> 16;
    bool up = low > 0x8000 || (low == 0x8000 && (high & 1) != 0);
    store(out, static_cast<uint16_t>(std::isnan(sum) ? high | 0x40 : high + up));
    return Status::ok();
  }
  case plan::ElementType::F16:
    store(out, nearestHalf(sumAs(0.0f, [](const std::byte *at) { return floatOfHalf(load<uint16_t>(at)); })));
    return Status::ok();
  case plan::ElementType::I32:
    break;
  }
  return Status::internal("sum of an element type that is not summed");
}

} // namespace

ReferenceCollectives::ReferenceCollectives(const Storage &storage, int64_t ranks)
    : storage(storage), blocks(ranks + 1, std::vector<std::byte>(kBlock)) {}

Status ReferenceCollectives::copy(Place from, Place to, int64_t bytes) {
  std::byte *block = blocks.front().data();
  for (int64_t done = 0; done < bytes; done += kBlock) {
    const int64_t size = std::min(kBlock, bytes - done);
    WINDLASS_TRY(storage.device(from.rank).offload(block, from.at + done, size, nullptr));
    WINDLASS_TRY(storage.device(to.rank).upload(to.at + done, block, size, nullptr));
  }
  return Status::ok();
}

Status ReferenceCollectives::clear(Place to, int64_t bytes) {
  std::vector<std::byte> &block = blocks.front();
  std::ranges::fill(block, std::byte{0});
  for (int64_t done = 0; done < bytes; done += kBlock)
    WINDLASS_TRY(
        storage.device(to.rank).upload(to.at + done, block.data(), std::min(kBlock, bytes - done), nullptr));
  return Status::ok();
}

Status ReferenceCollectives::gatherAll(Ranks ranks) {
  for (size_t to = 0; to < ranks.size(); ++to)
    for (size_t q = 0; q < ranks.size(); ++q) {
      int64_t at = 0;
      for (const WholeTensor &tensor : ranks[to]->whole) {
        WINDLASS_TRY(copy({ranks[q]->rank, ranks[q]->bytes(0) + at},
                          {ranks[to]->rank, tensor.data + static_cast<int64_t>(q) * tensor.pieceBytes},
                          tensor.pieceBytes));
        at += tensor.pieceBytes;
      }
    }
  return Status::ok();
}

Status ReferenceCollectives::broadcastAll(Ranks ranks) {
  const auto root = static_cast<size_t>(ranks.front()->root);
  for (size_t to = 0; to < ranks.size(); ++to) {
    int64_t at = 0;
    for (const WholeTensor &tensor : ranks[to]->whole) {
      WINDLASS_TRY(copy({ranks[root]->rank, ranks[root]->bytes(0) + at}, {ranks[to]->rank, tensor.data},
                        tensor.pieceBytes));
      at += tensor.pieceBytes;
    }
  }
  return Status::ok();
}

/// The sums over ranks of `bytes` of a whole tensor, from `offset` on.
Status ReferenceCollectives::sumRange(Ranks ranks, size_t tensor, int64_t offset, int64_t bytes, Place to) {
  const plan::ElementType type = ranks.front()->instruction->type;
  for (int64_t done = 0; done < bytes; done += kBlock) {
    const int64_t size = std::min(kBlock, bytes - done);
    for (size_t q = 0; q < ranks.size(); ++q)
      WINDLASS_TRY(
          storage.device(ranks[q]->rank)
              .offload(blocks[q].data(), ranks[q]->whole[tensor].data + offset + done, size, nullptr));
    for (int64_t at = 0; at < size; at += plan::bytesOf(type))
      WINDLASS_TRY(sumElement(type, std::span(blocks).first(ranks.size()), blocks.back(), at));
    WINDLASS_TRY(storage.device(to.rank).upload(to.at + done, blocks.back().data(), size, nullptr));
  }
  return Status::ok();
}

/// The sums of piece `piece` of every whole tensor, in the shard of one rank.
Status ReferenceCollectives::reduceTo(Ranks ranks, const BoundInstruction &to, int64_t piece) {
  int64_t at = 0;
  for (size_t t = 0; t < to.whole.size(); ++t) {
    const int64_t bytes = to.whole[t].pieceBytes;
    WINDLASS_TRY(sumRange(ranks, t, piece * bytes, bytes, {to.rank, to.bytes(0) + at}));
    at += bytes;
  }
  return clear({to.rank, to.bytes(0) + at}, to.instruction->operands[0].bytes - at);
}

Status ReferenceCollectives::reduceAll(Ranks ranks) {
  for (size_t q = 0; q < ranks.size(); ++q)
    WINDLASS_TRY(reduceTo(ranks, *ranks[q], static_cast<int64_t>(q)));
  return Status::ok();
}

Status ReferenceCollectives::exchange(Ranks ranks) {
  switch (ranks.front()->instruction->op) {
  case plan::Opcode::AllGather:
    return gatherAll(ranks);
  case plan::Opcode::ReduceScatter:
    return reduceAll(ranks);
  case plan::Opcode::Broadcast:
    return broadcastAll(ranks);
  case plan::Opcode::Reduce:
    return reduceTo(ranks, *ranks[ranks.front()->root], 0);
  case plan::Opcode::Launch:
  case plan::Opcode::Upload:
  case plan::Opcode::Offload:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
  case plan::Opcode::Send:
  case plan::Opcode::Recv:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    break;
  }
  return Status::internal("instruction is no collective");
}

Status ReferenceCollectives::deliver(const BoundInstruction &send, const BoundInstruction &receive) {
  return copy({send.rank, send.bytes(0)}, {receive.rank, receive.bytes(0)}, std::ssize(receive.span(0)));
}

} // namespace windlass
