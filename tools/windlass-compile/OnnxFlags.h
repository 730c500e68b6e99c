// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OnnxFlags.h - what an ONNX file may need to be told =================//
#pragma once

#include "compiler/import/onnx/Options.h"

namespace CLI {
class App;
}

namespace windlass {

/// Adds --dim, --loss, --logits, --labels and --tie; `options` must outlive `app`.
void addOnnxFlags(CLI::App &app, OnnxOptions &options);

} // namespace windlass
