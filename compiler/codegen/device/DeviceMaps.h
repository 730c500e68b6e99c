// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMaps.h - kernels whose threads work alone =======================//
//
// Duty: maps, and what moves rows about: every linalg.generic is cut into strips of its
// innermost dimension, one a thread, neighbours for neighbours, and the rows into blocks of
// threads (DeviceRows.h). A strip's accesses are of 16 bytes where the elements allow it;
// what a range cuts off is left out element by element. The operations on an element are
// those of Vectorize, so its bits are, too.
// Errors: diagnostics on the function, where a thread would need what others made.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceRows.h"

namespace windlass::codegen {

/// Rewrites the function.
mlir::FailureOr<DeviceGrid> spreadMaps(RowNest &nest);

} // namespace windlass::codegen
