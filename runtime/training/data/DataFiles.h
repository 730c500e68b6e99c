// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DataFiles.h - the files that --data names =============================//
//
// Duty: a file, the files of a folder, or those a pattern with *, ? or [ matches;
// sorted by name, each once though links may name it again.
// Errors: BadInput for what is not there, is no regular file, or matches nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

Result<std::vector<std::string>> dataFiles(const std::string &specification);

} // namespace windlass
