// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Driver.h - the functions of the CUDA driver ===========================//
//
// Duty: the driver as a table of functions (Driver.def), looked up in the driver's library at run time or
// filled by a simulation. The types are our own words for the driver's binary interface, so that nothing of a
// toolkit is needed to build; a test holds them against a toolkit's headers.
// Threads: a table is read by any; the functions are the driver's.
// Errors: CannotFit where this machine has no driver, or one without a function of the table. A call that
// fails is RunFailed in the driver's words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/SharedLibrary.h"
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace windlass::cuda {

using CuDevice = int;
using CuAddress = unsigned long long; ///< of device memory
using CuContext = struct CuContextTag *;
using CuStream = struct CuStreamTag *;
using CuEvent = struct CuEventTag *;
using CuModule = struct CuModuleTag *;
using CuFunction = struct CuFunctionTag *;

inline CuAddress addressOf(const std::byte *device) { return reinterpret_cast<CuAddress>(device); }

enum class CuResult : unsigned {
#define WINDLASS_DRIVER_RESULT(Case, Name, Value) Case = Value,
#include "runtime/cuda/Driver.def"
};
enum class DeviceAttribute : unsigned {};
enum class FunctionAttribute : unsigned {};
enum class JitOption : unsigned {};

#define WINDLASS_DRIVER_CONSTANT(Type, Name, Toolkit, Value) inline constexpr Type Name{Value};
#include "runtime/cuda/Driver.def"

struct Driver {
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters) CuResult(*Member) Parameters = nullptr;
#include "runtime/cuda/Driver.def"

  /// Of a call that returned `result`.
  Status status(CuResult result, const char *symbol) const;
  /// driver.call<&Driver::free>(address): calls it, and says what came of it.
  template <auto Call, typename... Arguments> Status call(Arguments... arguments) const;
};

/// The exported symbol behind a function of the table.
template <auto Call> constexpr const char *symbolOf() {
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  if constexpr (std::is_same_v<std::integral_constant<decltype(Call), Call>,                                 \
                               std::integral_constant<decltype(&Driver::Member), &Driver::Member>>)          \
    return #Base #Suffix;
#include "runtime/cuda/Driver.def"
}

template <auto Call, typename... Arguments> Status Driver::call(Arguments... arguments) const {
  return status((this->*Call)(arguments...), symbolOf<Call>());
}

/// The driver of this machine.
Result<Driver> loadDriver();
/// The same from any library.
Result<Driver> bindDriver(const SharedLibrary &library);

} // namespace windlass::cuda
