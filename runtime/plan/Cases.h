// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cases.h - the plan's closed enums =====================================//
//
// Duty: one enum per table, expanded from Enums.def and Instructions.def. Their
// texts: Words.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass::plan {

#define WINDLASS_ENUM_BEGIN(Name) enum class Name : uint8_t {
#define WINDLASS_ENUM_CASE(Name, Id, Text) Id,
#define WINDLASS_ENUM_END(Name)                                                                              \
  }                                                                                                          \
  ;
#include "runtime/plan/Enums.def"

/// One case per row of Instructions.def.
enum class Opcode : uint8_t {
#define WINDLASS_INSTRUCTION(Id, Text, Lanes, Operands, Doc) Id,
#include "runtime/plan/Instructions.def"
};

} // namespace windlass::plan
