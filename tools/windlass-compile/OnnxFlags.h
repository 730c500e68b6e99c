// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OnnxFlags.h - the flags for ONNX files ================================//
//
// Duty: declares the flags that only ONNX files need, and reads them into the options of import.
// Errors: those of CLI11, where the command line is parsed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"

namespace CLI {
class App;
}

namespace windlass {

/// Adds --dim, --loss, --logits, --labels and --tie; `options` must outlive `app`.
void addOnnxFlags(CLI::App &app, OnnxOptions &options);

} // namespace windlass
