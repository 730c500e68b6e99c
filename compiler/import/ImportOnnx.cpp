// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ImportOnnx.h"

#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/onnx/DescribeOnnx.h"
#include "compiler/import/weights/Weights.h"
#include <map>

using namespace mlir;

namespace windlass {
namespace {

/// Makes every parameter start from its initializer, which a run reads from the ONNX file or its external
/// data.
Status startFromFile(ModuleOp module, const std::vector<onnx::FirstValues> &values) {
  Builder builder(module.getContext());
  std::map<std::string, const onnx::FirstValues *> byName;
  for (const onnx::FirstValues &each : values)
    byName[each.parameter] = &each;
  std::string scattered;
  for (auto state : module.getOps<graph::StateOp>()) {
    auto found = byName.find(state.getOriginal().str());
    if (found == byName.end())
      continue; // not in the file: it starts from its initialiser
    const onnx::FirstValues &from = *found->second;
    if (from.file.empty()) {
      scattered += "\n  \"" + from.initializer + "\"";
      continue;
    }
    auto source = graph::SourceAttr::get(module.getContext(), builder.getStringAttr(from.file),
                                         builder.getStringAttr(from.initializer),
                                         builder.getStringAttr(from.element), from.offset, from.transposed);
    state.setInitAttr(withSource(state.getInit(), source));
  }
  return scattered.empty()
             ? Status::ok()
             : Status::badInput("initializers whose elements do not lie in one piece, and cannot be read in "
                                "place; save them as raw_data or external data, or say with --weights what "
                                "parameters start from:" +
                                scattered);
}

} // namespace

Result<OwningOpRef<ModuleOp>> importOnnx(MLIRContext &context, const std::string &path,
                                         const TrainingOptions &training, const OnnxOptions &options,
                                         bool withValues) {
  Result<OnnxDescription> description = describeOnnx(path, training, options);
  if (!description)
    return description.status();
  for (const std::string &warning : description->warnings)
    emitWarning(UnknownLoc::get(&context), path + ": " + warning);
  emitRemark(UnknownLoc::get(&context), description->account);
  Result<OwningOpRef<ModuleOp>> module =
      buildGraph(context, description->document, path, description->document.dump(), training);
  if (module && withValues)
    if (Status found = startFromFile(**module, description->values); !found)
      return found.in(path);
  return module;
}

} // namespace windlass
