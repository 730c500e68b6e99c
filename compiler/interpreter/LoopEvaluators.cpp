// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps, reductions, reshape, stack; dropout, which copies its input until it is decomposed to a map.

#include "compiler/interpreter/Evaluators.h"
#include "compiler/interpreter/LoopNest.h"
#include "compiler/interpreter/ScalarProgram.h"
#include "dialects/Graph/IR/GraphBuilders.h"

#include <limits>

using namespace mlir;

namespace windlass::interpreter {

/// Runs the body of `op` in every iteration; `store` takes its results, run by run of the last loop.
template <typename OpT, typename Store>
static Status runNest(OpT op, Inputs inputs, const Options &options, Store store) {
  auto program = ScalarProgram::compile(op.getBody().front(), options.roundToTypes);
  if (!program)
    return program.status();
  SmallVector<Access> reads;
  for (auto [input, map] : llvm::zip_equal(inputs, op.getMapValues()))
    reads.emplace_back(map, input->shape);
  forEachRun(graph::loopExtents(op), ScalarProgram::kLanes, [&](ArrayRef<int64_t> first, int64_t count) {
    for (auto [i, input] : llvm::enumerate(inputs)) {
      const double *element = input->data.data() + reads[i].at(first);
      for (int64_t lane = 0; lane < count; ++lane)
        program->argument(i)[lane] = element[lane * reads[i].step()];
    }
    program->run(first, count);
    store(first, count, *program);
  });
  return Status::ok();
}

static Result<Tensors> evaluateMap(graph::MapOp op, Inputs inputs, const Options &options) {
  Tensors results(op.getNumResults(), Tensor(shapeOf(op.getResult(0))));
  int64_t next = 0;
  WINDLASS_TRY(runNest(op, inputs, options, [&](ArrayRef<int64_t>, int64_t count, ScalarProgram &program) {
    for (size_t i = 0; i < results.size(); ++i)
      std::copy_n(program.yielded(i), count, results[i].data.begin() + next);
    next += count;
  }));
  return results;
}

static Result<Tensors> evaluateReduce(graph::ReduceOp op, Inputs inputs, const Options &options) {
  bool isSum = op.getCombine() == graph::Combine::Sum;
  double identity = isSum ? 0.0 : -std::numeric_limits<double>::infinity();
  Tensors results(op.getNumResults(), Tensor(shapeOf(op.getResult(0)), identity));
  SmallVector<unsigned> kept;
  unsigned loops = graph::loopExtents(op).size();
  for (unsigned loop = 0; loop < loops; ++loop)
    if (!llvm::is_contained(op.getDims(), loop))
      kept.push_back(loop);
  Access stored(graph::loopsMap(op.getContext(), loops, kept), results[0].shape);
  WINDLASS_TRY(
      runNest(op, inputs, options, [&](ArrayRef<int64_t> first, int64_t count, ScalarProgram &program) {
        for (size_t i = 0; i < results.size(); ++i)
          for (int64_t lane = 0; lane < count; ++lane) {
            double &total = results[i].data[stored.at(first) + lane * stored.step()];
            const double value = program.yielded(i)[lane];
            total = isSum ? total + value : std::max(total, value);
          }
      }));
  return results;
}

static Result<Tensors> evaluateReshape(graph::ReshapeOp op, Inputs inputs, const Options &) {
  return Tensors{Tensor(shapeOf(op.getResult()).vec(), inputs[0]->data)};
}

static Result<Tensors> evaluateDropout(graph::DropoutOp, Inputs inputs, const Options &) {
  return Tensors{*inputs[0]};
}

static Result<Tensors> evaluateStack(graph::StackOp op, Inputs inputs, const Options &) {
  Tensor result(shapeOf(op.getResult()));
  Access store(graph::identityMap(op.getContext(), result.shape.size()), result.shape);
  int64_t begin = 0;
  for (auto [input, part] : llvm::zip_equal(inputs, op.getParts())) {
    Access read(op.getMap(), input->shape);
    SmallVector<int64_t> extents(ArrayRef<int64_t>(result.shape)), at;
    extents[op.getAxis()] = part;
    forEachIndex(extents, [&](ArrayRef<int64_t> loops) {
      at.assign(loops.begin(), loops.end());
      at[op.getAxis()] += begin;
      result.data[store.at(at)] = input->data[read.at(loops)];
    });
    begin += part;
  }
  return Tensors{result};
}

static Result<Tensors> evaluatePad(graph::PadOp op, Inputs inputs, const Options &) {
  Tensor result(shapeOf(op.getResult()), op.getValue().convertToDouble());
  Access store(op.getPlacement(), result.shape);
  int64_t next = 0;
  forEachIndex(inputs[0]->shape,
               [&](ArrayRef<int64_t> loops) { result.data[store.at(loops)] = inputs[0]->data[next++]; });
  return Tensors{result};
}

void addLoopEvaluators(Interpreter &interpreter) {
  addLocal<graph::MapOp>(interpreter, evaluateMap);
  addLocal<graph::ReduceOp>(interpreter, evaluateReduce);
  addLocal<graph::ReshapeOp>(interpreter, evaluateReshape);
  addLocal<graph::DropoutOp>(interpreter, evaluateDropout);
  addLocal<graph::StackOp>(interpreter, evaluateStack);
  addLocal<graph::PadOp>(interpreter, evaluatePad);
}

} // namespace windlass::interpreter
