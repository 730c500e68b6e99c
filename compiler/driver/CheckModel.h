// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckModel.h - reports the import of a model ==========================//
//
// Duty: `windlass-compile --check MODEL`: reports, as a text, the inputs, the decision on every parameter,
// the loss and the recognised composites. Without a training file, batches are as large as the model file
// says, or of one example. Errors: BadInput, as a compilation of the model would have. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"

namespace windlass {

Result<std::string> checkModel(const CompileRequest &request);

} // namespace windlass
