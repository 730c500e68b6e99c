#include "runtime/executor/ReferenceCollectives.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace windlass {

namespace {

using Ranks = std::span<const BoundInstruction *const>;

template <typename T> T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> void store(std::byte *at, T value) { std::memcpy(at, &value, sizeof(T)); }

/// The sum over ranks of the element `offset` bytes into whole tensor `t`, stored at `out`.
Status sumElement(Ranks ranks, size_t t, int64_t offset, std::byte *out) {
  auto sumAs = [&]<typename Sum>(Sum, auto read) {
    Sum sum = read(ranks[0]->whole[t].data + offset);
    for (const BoundInstruction *rank : ranks.subspan(1))
      sum = sum + read(rank->whole[t].data + offset);
    return sum;
  };
  switch (ranks[0]->instruction->type) {
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
  case plan::ElementType::I32:
    break;
  }
  return Status::internal("sum of an element type that is not summed");
}

Status gatherAll(Ranks ranks) {
  for (const BoundInstruction *to : ranks)
    for (size_t q = 0; q < ranks.size(); ++q) {
      int64_t at = 0;
      for (const WholeTensor &tensor : to->whole) {
        std::memcpy(tensor.data + q * tensor.pieceBytes, ranks[q]->bytes(0) + at, tensor.pieceBytes);
        at += tensor.pieceBytes;
      }
    }
  return Status::ok();
}

Status broadcastAll(Ranks ranks) {
  for (const BoundInstruction *to : ranks) {
    int64_t at = 0;
    for (const WholeTensor &tensor : to->whole) {
      std::memcpy(tensor.data, ranks[to->root]->bytes(0) + at, tensor.pieceBytes);
      at += tensor.pieceBytes;
    }
  }
  return Status::ok();
}

/// The sums of piece `piece` of every whole tensor, in the shard of one rank.
Status reduceTo(Ranks ranks, const BoundInstruction &to, int64_t piece) {
  int64_t element = plan::bytesOf(ranks[0]->instruction->type);
  std::span<std::byte> shard = to.span(0);
  int64_t at = 0;
  for (size_t t = 0; t < to.whole.size(); ++t) {
    int64_t bytes = to.whole[t].pieceBytes;
    for (int64_t i = 0; i < bytes; i += element)
      WINDLASS_TRY(sumElement(ranks, t, piece * bytes + i, shard.data() + at + i));
    at += bytes;
  }
  std::memset(shard.data() + at, 0, shard.size() - at);
  return Status::ok();
}

Status reduceAll(Ranks ranks) {
  for (size_t r = 0; r < ranks.size(); ++r)
    WINDLASS_TRY(reduceTo(ranks, *ranks[r], static_cast<int64_t>(r)));
  return Status::ok();
}

} // namespace

Status exchangeAll(Ranks ranks) {
  switch (ranks[0]->instruction->op) {
  case plan::Opcode::AllGather:
    return gatherAll(ranks);
  case plan::Opcode::ReduceScatter:
    return reduceAll(ranks);
  case plan::Opcode::Broadcast:
    return broadcastAll(ranks);
  case plan::Opcode::Reduce:
    return reduceTo(ranks, *ranks[ranks[0]->root], 0);
  case plan::Opcode::Launch:
  case plan::Opcode::Upload:
  case plan::Opcode::Offload:
  case plan::Opcode::Read:
  case plan::Opcode::Write:
  case plan::Opcode::Feed:
  case plan::Opcode::Report:
    break;
  }
  return Status::internal("instruction is no collective");
}

} // namespace windlass
