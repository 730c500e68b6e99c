// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- UnitPatterns.h - sizes and rates as JSON Schemas say them =============//
//
// Duty: what the readers of Units.h take, as regular expressions. That a size is a whole
// number of bytes, and that nothing is out of range, they cannot say.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass {

#define WINDLASS_NUMBER_PATTERN "^([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *"
inline constexpr const char *kBytesPattern = WINDLASS_NUMBER_PATTERN "(B|bytes|[KMGTP]i?B)?$";
inline constexpr const char *kRatePattern =
    WINDLASS_NUMBER_PATTERN "(([KMGTP]iB|bytes|[kKMGTP]?(B|FLOP|params)?)/s|[kKMGTP]?FLOPS)?$";
inline constexpr const char *kSecondsPattern = WINDLASS_NUMBER_PATTERN "([mun]?s)?$";
#undef WINDLASS_NUMBER_PATTERN

} // namespace windlass
