// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Device.h - what a plan promises a kind of device ======================//
//
// Duty: the table of backends that plans are made for (Devices.def), as far as a plan depends on them; what
// runs a plan is made elsewhere (runtime/backend). Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace windlass::plan {

/// A row of Devices.def.
struct DeviceRow {
  std::string_view backend, code, file;
  int64_t alignment, rowAlignment, stagingBytes;
  std::string_view collectives;

  /// Whether kernels on the device have code of their own, launched by grids.
  bool hasOwnCode() const { return !code.empty(); }
};

std::span<const DeviceRow> deviceRows();
/// None: plans are made for no such backend.
const DeviceRow *findDevice(std::string_view backend);
/// "'cpu' or 'cuda'": all of them, for messages.
std::string backendNames();

} // namespace windlass::plan
