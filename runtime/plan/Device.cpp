// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Device.h"
#include <algorithm>

namespace windlass::plan {

static constexpr DeviceRow kRows[] = {
#define WINDLASS_DEVICE(Backend, Code, File, Alignment, RowAlignment, Staging, Collectives)                  \
  {Backend, Code, File, Alignment, RowAlignment, Staging, Collectives},
#include "runtime/plan/Devices.def"
};

std::span<const DeviceRow> deviceRows() { return kRows; }

const DeviceRow *findDevice(std::string_view backend) {
  const auto *row = std::ranges::find(kRows, backend, &DeviceRow::backend);
  return row == std::end(kRows) ? nullptr : row;
}

std::string backendNames() {
  std::string names;
  for (const DeviceRow &row : kRows)
    names += (names.empty() ? "'" : " or '") + std::string(row.backend) + "'";
  return names;
}

} // namespace windlass::plan
