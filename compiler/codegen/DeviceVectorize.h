// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DeviceVectorize.h - what one thread does of a map =====================//
//
// Duty: replaces every linalg.generic of a frame by the loads, the body and the stores of
// one thread's strip: as vectors of the strip's width, whose accesses are of 16 bytes where
// the elements allow it; what a range cuts off is left out element by element. The
// operations on an element are those of Vectorize, so its bits are, too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/DeviceFrame.h"

namespace windlass::codegen {

void vectorizeForThread(const DeviceFrame &frame);

} // namespace windlass::codegen
