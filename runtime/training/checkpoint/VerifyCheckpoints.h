// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- VerifyCheckpoints.h - whether checkpoints are as they were written ====//
//
// Duty: reads every byte of the checkpoints below a folder, compares them with the
// hashes that were taken as they were written, and says of each what it found.
// Nothing is changed, so a run may go on writing beside it.
// Errors: BadInput where one is damaged, or there is none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <functional>
#include <string>

namespace windlass {

/// `folder`: of a run, of its checkpoints, or one checkpoint. `print` takes a line for each.
Status verifyCheckpoints(const std::string &folder, const std::function<void(const std::string &)> &print);

} // namespace windlass
