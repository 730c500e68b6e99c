#include "compiler/driver/Inputs.h"

#include "compiler/import/Import.h"
#include "compiler/import/Strategy.h"
#include "dialects/Register.h"

using namespace mlir;

namespace windlass {
namespace {

/// What the command line says of decisions stands above the training file.
Status readDecisions(const CompileRequest &request, TrainingOptions &training) {
  if (!request.strategy.empty()) {
    Result<Decisions> strategy = readStrategy(request.strategy);
    if (!strategy)
      return strategy.status();
    static_cast<Decisions &>(training) = *strategy;
  }
  training.overlap = request.overlap.value_or(training.overlap);
  if (request.prefetch)
    training.prefetchNc = training.prefetchCg = training.prefetchGg = request.prefetch;
  for (Home home : {Home::Device, Home::Host, Home::Nvme})
    if (word(home) == request.checkpoints)
      training.checkpointHome = {home, {}};
  return Status::ok();
}

} // namespace

Result<Inputs> readInputs(const CompileRequest &request) {
  Result<TrainingOptions> training = readTrainingFile(request.training);
  if (!training)
    return training.status();
  WINDLASS_TRY(readDecisions(request, *training));
  Result<model::Machine> machine = model::readMachine(request.hardware);
  if (!machine)
    return machine.status();
  machine->threadsPerRank = training->threadsPerRank;
  if (machine->ranks() != training->dataRanks)
    return Status::badInput(request.training + ": parallel.data asks for " +
                            std::to_string(training->dataRanks) + " ranks, " + request.hardware + " has " +
                            std::to_string(machine->ranks()));
  return Inputs{training.take(), machine.take()};
}

Result<OwningOpRef<ModuleOp>> importInputs(MLIRContext &context, const CompileRequest &request,
                                           const TrainingOptions &training) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  request.progress("importing " + request.model);
  return importModel(context, request.model, training, request.onnx, request.weights);
}

} // namespace windlass
