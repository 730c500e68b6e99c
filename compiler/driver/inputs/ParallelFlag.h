// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ParallelFlag.h - the mesh of ranks on the command line ==============//
//
// Duty: reads --parallel data=2,tensor=2,pipeline=2, whose axes stand above those of the training file.
// Errors: Usage for what is no list of axes; BadInput, naming the flag and the file, where the file does not
// go with it.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "compiler/training/TrainingFile.h"

namespace windlass {

/// The training file of a request, on the mesh that the command line says.
Result<TrainingOptions> readTraining(const CompileRequest &request);

} // namespace windlass
