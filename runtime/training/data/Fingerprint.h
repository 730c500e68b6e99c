// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Fingerprint.h - whether two runs see the same files ===================//
//
// Duty: one hash of what some files hold, wherever they lie: of each its size, and what it begins and ends
// with. It finds another corpus, not a byte changed in the middle of a long file: data may be larger than
// anybody would read before the first step.
// Errors: BadInput naming the file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <span>
#include <string>

namespace windlass {

/// In the order of `paths`. A MiB at either end of each file; less where there are many.
Result<std::string> fingerprintOf(std::span<const std::string> paths);

} // namespace windlass
