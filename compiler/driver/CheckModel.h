// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckModel.h - what is made of a model, without a plan ==============//
//
// Duty: `windlass-compile --check MODEL`: inputs, the decision about every parameter, the loss and what was
// recognised, as a text. A training file need not be given: batches are then as large as the file says, or of
// one example.
// Errors: BadInput, as a compilation of the model would have. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"

namespace windlass {

Result<std::string> checkModel(const CompileRequest &request);

} // namespace windlass
