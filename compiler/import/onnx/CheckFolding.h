//===- CheckFolding.h - parameters that an exporter computed away ==========//
//
// Duty: the newer exporter's optimiser computes all that depends on parameters
// alone. Where that moved or repeated elements, the parameter can be found again;
// of its exponential, or of two parameters, nothing is left to train.
// Errors: BadInput; what is lost is listed at once.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Model.h"

namespace windlass::onnx {

Status checkFolding(const Graph &graph);

} // namespace windlass::onnx
