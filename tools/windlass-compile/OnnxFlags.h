// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OnnxFlags.h - the flags for ONNX files ==============================//
#pragma once

#include "compiler/import/onnx/Options.h"

namespace CLI {
class App;
}

namespace windlass {

/// Adds --dim, --loss, --logits, --labels and --tie; `options` must outlive `app`.
void addOnnxFlags(CLI::App &app, OnnxOptions &options);

} // namespace windlass
