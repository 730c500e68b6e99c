// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanEnums.h - the plan's closed enums in IR ===========================//
//
// Duty: parses and prints the values of every enum of runtime/plan/Enums.def by their words there, so that
// attributes and types of all dialects can have such an enum as a parameter (PlanEnums.td). Threads: pure
// functions. Errors: a parse error that lists the words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/DialectImplementation.h"
#include "runtime/plan/Words.h"

namespace windlass::plan {

template <typename Enum> inline constexpr bool kIsPlanEnum = false;
#define WINDLASS_ENUM_BEGIN(Name) template <> inline constexpr bool kIsPlanEnum<Name> = true;
#define WINDLASS_ENUM_CASE(Name, Id, Text)
#include "runtime/plan/Enums.def"
template <typename Enum>
concept PlanEnum = kIsPlanEnum<Enum>;

/// The word of a value, under the name that MLIR gives this function for enums that it generates.
template <PlanEnum Enum> llvm::StringRef stringifyEnum(Enum value) { return textOf(value); }

} // namespace windlass::plan

namespace mlir {

template <windlass::plan::PlanEnum Enum> struct FieldParser<Enum, Enum> {
  static FailureOr<Enum> parse(AsmParser &parser) {
    llvm::SMLoc where = parser.getCurrentLocation();
    std::string word;
    if (failed(parser.parseKeywordOrString(&word)))
      return failure();
    if (std::optional<Enum> known = windlass::plan::fromText<Enum>(word))
      return *known;
    std::string words;
    for (std::string_view each : windlass::plan::wordsOf<Enum>())
      words += (words.empty() ? "" : ", ") + std::string(each);
    return parser.emitError(where, "expected one of: " + words + "; found '" + word + "'");
  }
};

} // namespace mlir
