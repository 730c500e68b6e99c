// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/MeetingExamples.h"

#include "compiler/import/Import.h"
#include "compiler/import/graphjson/LossShares.h"
#include "dialects/Register.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Graph/ExamplesApart.h"

using namespace mlir;

namespace windlass {
namespace {

/// The name of an operation's result in the model file, and its place if the file lists operations.
std::string nameOf(Operation *op, bool isListed) {
  auto place = dyn_cast<NameLoc>(op->getLoc());
  auto result = place ? dyn_cast<NameLoc>(place.getChildLoc()) : NameLoc();
  if (!result)
    return "an operation";
  const std::string name = "\"" + result.getName().str() + "\"";
  return isListed ? name + " (" + place.getName().str() + ")" : name;
}

/// Whether a term of the loss is a mean of one number of each micro-batch. A sum over examples in such a term
/// grows with the micro-batch.
bool hasMeanOfMicroBatches(ModuleOp imported) {
  auto evaluate = imported.lookupSymbol<graph::StepOp>("evaluate");
  return evaluate && llvm::any_of(lossShares(evaluate),
                                  [](const LossShare &share) { return share.of == "micro_batches"; });
}

} // namespace

Result<OwningOpRef<ModuleOp>> importFor(MLIRContext &context, const CompileRequest &request,
                                        TrainingOptions training, int64_t examples) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
  training.globalBatch = training.microBatch = examples;
  training.microBatches = training.dataRanks = 1;
  return importModel(context, request.model, training, request.onnx, /*weights=*/"none");
}

std::string meetingOfExamples(MLIRContext &context, const CompileRequest &request,
                              const TrainingOptions &training, ModuleOp imported, bool numbersAreSaid) {
  if (training.microBatches * training.dataRanks == 1)
    return "";
  graph::Meeting met = graph::meetingOfExamples(imported, training.microBatch);
  if (training.microBatch > 1 && !met.op)
    return "";
  // Another dimension may be as long as a micro-batch. Hardly any is as long as one of these sizes.
  OwningOpRef<ModuleOp> other;
  for (int64_t examples : {11, 22}) {
    Result<OwningOpRef<ModuleOp>> found = importFor(context, request, training, examples);
    if (!found)
      continue;
    other = found.take();
    met = graph::meetingOfExamples(*other, examples);
    break;
  }
  if (!met.op || (met.isOfNumbers && numbersAreSaid))
    return "";
  return "the loss: examples of a micro-batch may meet in " +
         nameOf(met.op, !request.model.ends_with(".onnx")) +
         ": a step then takes the mean of what each micro-batch computes, which may be another number than "
         "the loss of the whole batch (docs/training.md)";
}

Result<bool> isMicroBatchFree(const CompileRequest &request, const TrainingOptions &training) {
  std::optional<std::vector<double>> numbers;
  for (int64_t examples : {11, 13}) { // hardly any other dimension has these sizes
    MLIRContext context;
    Result<OwningOpRef<ModuleOp>> imported = importFor(context, request, training, examples);
    if (!imported && imported.status().code() == ExitCode::BadInput)
      return false;
    if (!imported)
      return imported.status();
    if (!graph::areExamplesApart(**imported, examples) || hasMeanOfMicroBatches(**imported))
      return false;
    std::vector<double> own = graph::numbersOf(**imported);
    if (own != numbers.value_or(own))
      return false;
    numbers = std::move(own);
  }
  return true;
}

} // namespace windlass
