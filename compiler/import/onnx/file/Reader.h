// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reader.h - an ONNX file becomes a Graph ===============================//
//
// Duty: parses the file, inlines its model-local functions and builds the flat graph. Checks sizes, names,
// order, types and places of external data, so that later steps can rely on them. Errors: BadInput,
// "model.onnx: node \"/fc/MatMul\" (MatMul): ...". Threads: one file, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

Result<Graph> readOnnx(const std::string &path);
/// Parses bytes in memory. `path`: the file's name in messages, and the path that external data is relative
/// to.
Result<Graph> parseOnnx(std::string_view bytes, const std::string &path);

/// `node "/fc/MatMul" (MatMul)`, for messages.
std::string describe(const Graph &graph, const Node &node);
/// The same, with the module that it came from: `node "/fc/MatMul" (MatMul) in fc`.
std::string placeOf(const Graph &graph, const Node &node);

} // namespace windlass::onnx
