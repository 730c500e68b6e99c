// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Enums.h"

namespace windlass::plan {

// clang-format off
#define WINDLASS_ENUM_BEGIN(Name)                                   \
  template <> std::span<const std::string_view> wordsOf<Name>() {   \
    static constexpr std::string_view words[] = {
#define WINDLASS_ENUM_CASE(Name, Id, Text) Text,
#define WINDLASS_ENUM_END(Name)                                     \
    };                                                              \
    return words;                                                   \
  }
#include "runtime/plan/Enums.def"
// clang-format on

template <> std::span<const std::string_view> wordsOf<Opcode>() {
  static constexpr std::string_view words[] = {
#define WINDLASS_INSTRUCTION(Id, Text, Lanes, Operands, Doc) Text,
#include "runtime/plan/Instructions.def"
  };
  return words;
}

int64_t bytesOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::I32:
    return 4;
  case ElementType::BF16:
  case ElementType::F16:
    return 2;
  case ElementType::F64:
    return 8;
  }
  return 0;
}

int64_t bytesOf(StoredType type) {
  switch (type) {
  case StoredType::F64:
    return 8;
  case StoredType::F32:
    return 4;
  case StoredType::F16:
  case StoredType::BF16:
    return 2;
  case StoredType::PackedF16:
  case StoredType::PackedBF16:
    return 1;
  }
  return 0;
}

} // namespace windlass::plan
