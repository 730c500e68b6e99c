// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceMaps.h - kernels without reductions, for threads ================//
//
// Duty: spreads maps and copies of rows over threads. Every linalg.generic is cut into strips of its
// innermost dimension, one per thread, neighbouring strips to neighbouring threads, and rows into blocks of
// threads (DeviceRows.h). Accesses are of 16 bytes where the elements allow it; a strip at the end of a range
// is computed element by element. The operations on an element, and so its bits, are those of Vectorize.
// Errors: diagnostics on the function, if a thread would need results of other threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/device/DeviceRows.h"

namespace windlass::codegen {

/// Rewrites the function.
mlir::FailureOr<DeviceGrid> spreadMaps(RowNest &nest);

} // namespace windlass::codegen
