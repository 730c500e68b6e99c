// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Schema.h - the fields of plan.json, each named once ===================//
//
// Duty: one description of every record of the file, walked by the writer and
// by the reader, so that the two cannot disagree.
//
//   file.field(key, value)              always in the file
//   file.optional(key, value, usual)    left out when it has its usual value
//   file.signedNumber(key, value, usual)   the same of a number that may be negative
//   file.optionalList(key, value)       left out when empty
//   file.record(key, value)             a record inside a record
//
// An archive has `using Of<T>`: T for a reader, const T for a writer.
// The page that describes the file: docs/plan-format.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/TrainingLimits.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/file/ReasonSchema.h"

namespace windlass::plan {

/// Largest size, offset or count a plan may hold (128 TiB), and the most ranks:
/// sums over operands and ranks then stay below 2^63.
inline constexpr int64_t kLargest = int64_t{1} << 47;
inline constexpr int64_t kMostRanks = int64_t{1} << 15;
inline constexpr size_t kMostAxes = 8;                      ///< of the mesh; axes of one rank count, too
inline constexpr int64_t kMostRuns = 2 * kMostMicroBatches; ///< of sections, in one schedule

template <typename A> void describe(A &file, typename A::template Of<Arena> &arena) {
  file.field("tier", arena.tier);
  file.field("bytes", arena.bytes);
  file.field("lower_bound", arena.lowerBound);
  file.field("capacity", arena.capacity);
  file.optional("alignment", arena.alignment, int64_t{0});
}

template <typename A> void describe(A &file, typename A::template Of<Buffer> &buffer) {
  file.field("name", buffer.name);
  file.field("class", buffer.cls);
  file.field("tier", buffer.tier);
  file.field("offset", buffer.offset);
  file.field("bytes", buffer.bytes);
  file.optional("slots", buffer.slots, int64_t{0});
  file.optional("persistent", buffer.persistent, false);
  file.optional("owner", buffer.owner, kEveryRank);
}

template <typename A> void describe(A &file, typename A::template Of<Instruction> &instruction) {
  const Instruction usual;
  file.field("op", instruction.op);
  file.field("lane", instruction.lane);
  file.optional("fn", instruction.origin.function, usual.origin.function);
  file.optional("what", instruction.origin.what, usual.origin.what);
  file.field("phase", instruction.origin.phase);
  file.signedNumber("micro_batch", instruction.microBatch, usual.microBatch);
  file.optional("kernel", instruction.kernel, usual.kernel);
  file.optional("begin", instruction.begin, usual.begin);
  file.optional("end", instruction.end, usual.end);
  file.field("on", instruction.operands);
  file.optionalList("pieces", instruction.pieceBytes);
  file.optionalList("axes", instruction.axes);
  file.optional("staged", instruction.staged, usual.staged);
  file.optional("type", instruction.type, usual.type);
  file.optional("item", instruction.item, usual.item);
  file.optional("peer", instruction.peer, usual.peer);
  file.optional("moves", instruction.bytesMoved, usual.bytesMoved);
  file.optionalList("wait", instruction.waits);
}

template <typename A> void describe(A &file, typename A::template Of<Section> &section) {
  file.field("name", section.name);
  file.optional("advance", section.advance, int64_t{1});
  file.field("instructions", section.instructions);
}

template <typename A> void describe(A &file, typename A::template Of<MatmulSpec> &matmul) {
  file.field("batch", matmul.batch);
  file.field("m", matmul.m);
  file.field("n", matmul.n);
  file.field("k", matmul.k);
  file.field("transpose_a", matmul.transposeA);
  file.field("transpose_b", matmul.transposeB);
  file.field("a", matmul.a);
  file.field("b", matmul.b);
  file.field("c", matmul.c);
  file.field("accumulate", matmul.accumulate);
  file.optional("pitch_a", matmul.pitchA, int64_t{0});
  file.optional("pitch_b", matmul.pitchB, int64_t{0});
  file.optional("pitch_c", matmul.pitchC, int64_t{0});
}

template <typename A> void describe(A &file, typename A::template Of<LaunchGrid> &grid) {
  file.field("per_block", grid.perBlock);
  file.field("across", grid.across);
  file.field("threads", grid.threads);
  file.field("shared_bytes", grid.sharedBytes);
}

template <typename A> void describe(A &file, typename A::template Of<Kernel> &kernel) {
  file.field("symbol", kernel.symbol);
  file.field("kind", kernel.kind);
  if (kernel.kind == KernelKind::Matmul)
    file.record("matmul", kernel.matmul);
  file.field("args", kernel.args);
  file.field("arg_bytes", kernel.argBytes);
  file.field("extent", kernel.extent);
  file.field("flops", kernel.flops);
  file.field("bytes", kernel.bytes);
  file.field("description", kernel.description);
  file.optionalList("phases", kernel.phases);
}

template <typename A> void describe(A &file, typename A::template Of<Target> &target) {
  file.field("cpu", target.cpu);
  file.field("library", target.library);
  file.field("version", target.version);
  file.field("scratch", target.scratch);
  file.field("whole", target.whole);
}

template <typename A> void describe(A &file, typename A::template Of<KernelFile> &kernels) {
  file.field("target", kernels.target);
  file.field("name", kernels.name);
  file.field("hash", kernels.hash);
}

template <typename A> void describe(A &file, typename A::template Of<WeightFile> &weights) {
  file.field("path", weights.path);
  file.field("bytes", weights.bytes);
  file.field("hash", weights.hash);
}

template <typename A> void describe(A &file, typename A::template Of<TensorSource> &source) {
  file.field("file", source.file);
  file.field("tensor", source.tensor);
  file.field("type", source.type);
  file.field("offset", source.offset);
  file.optional("transposed", source.transposed, false);
}

template <typename A> void describe(A &file, typename A::template Of<Initialiser> &init) {
  const Initialiser usual;
  file.field("kind", init.kind);
  file.optional("mean", init.mean, usual.mean);
  file.optional("std", init.std, usual.std);
  file.optional("value", init.value, usual.value);
}

template <typename A> void describe(A &file, typename A::template Of<Slice> &slice) {
  file.field("of", slice.whole);
  file.field("begin", slice.begin);
}

template <typename A> void describe(A &file, typename A::template Of<Split> &split) {
  file.field("of", split.whole);
  file.field("axis", split.axis);
  file.field("period", split.period);
  file.field("width", split.width);
}

template <typename A> void describe(A &file, typename A::template Of<State> &state) {
  file.field("name", state.name);
  file.field("class", state.cls);
  file.field("type", state.type);
  file.field("shape", state.shape);
  file.field("group", state.group);
  file.record("init", state.init);
  file.field("unit", state.unit);
  file.field("unit_offset", state.unitOffset);
  file.field("piece_elements", state.pieceElements);
  file.field("sharded", state.sharded);
  file.optionalList("axes", state.axes);
  file.field("home", state.home);
  file.optional("bucket", state.bucket, std::string());
  file.optional("slice", state.slice, Slice());
  file.optional("split", state.split, Split());
  file.optional("source", state.source, TensorSource());
}

template <typename A> void describe(A &file, typename A::template Of<Input> &input) {
  file.field("name", input.name);
  file.field("type", input.type);
  file.field("shape", input.shape);
  file.field("role", input.role);
  file.field("bound", input.bound);
  file.signedNumber("ignored", input.ignored, kIgnoredLabel);
  file.optional("first", input.first, int64_t{0});
}

template <typename A> void describe(A &file, typename A::template Of<LossShare> &share) {
  const LossShare usual;
  file.field("item", share.item);
  file.field("of", share.of);
  file.optional("input", share.input, usual.input);
  file.signedNumber("ignored", share.ignored, usual.ignored);
  file.optionalList("class_weights", share.classWeights);
  file.optional("first", share.first, int64_t{0});
}

template <typename A> void describe(A &file, typename A::template Of<MeshAxis> &axis) {
  file.field("name", axis.name);
  file.field("size", axis.size);
  file.field("kind", axis.kind);
}

template <typename A> void describe(A &file, typename A::template Of<LossScale> &scale) {
  file.field("initial", scale.initial);
  file.field("growth_interval", scale.growthInterval);
  file.field("minimum", scale.minimum);
}

template <typename A> void describe(A &file, typename A::template Of<Training> &training) {
  file.field("steps", training.steps);
  file.field("micro_batches", training.microBatches);
  file.field("global_batch", training.globalBatch);
  file.field("sequence", training.sequence);
  file.field("seed", training.seed);
  file.field("schedule", training.schedule);
  file.field("learning_rate", training.learningRate);
  file.field("min_learning_rate_ratio", training.minLearningRateRatio);
  file.field("warmup", training.warmup);
  file.field("beta1", training.beta1);
  file.field("beta2", training.beta2);
  file.optional("optimizer", training.optimizer, std::string("{}"));
  file.field("clip", training.clip);
  file.field("validation_fraction", training.validationFraction);
  file.field("validation_every", training.validationEvery);
  file.field("checkpoint_every", training.checkpointEvery);
  file.field("checkpoint_keep", training.checkpointKeep);
  file.field("threads_per_rank", training.threadsPerRank);
  file.field("shuffle", training.shuffle);
  file.optional("loss_scale", training.lossScale, LossScale());
}

template <typename A> void describe(A &file, typename A::template Of<Prediction> &prediction) {
  file.field("step_seconds", prediction.stepSeconds);
  file.field("bound_by", prediction.boundBy);
  file.field("busy", prediction.busy);
  file.field("declared_rates", prediction.declaredRates);
}

template <typename A> void describe(A &file, typename A::template Of<Program> &program) {
  file.field("first_rank", program.firstRank);
  file.field("ranks", program.ranks);
  file.field("arenas", program.arenas);
  file.field("buffers", program.buffers);
  file.field("states", program.states);
  file.optionalList("gradients", program.gradients);
  file.field("sections", program.sections);
  file.optionalList("train", program.train);
  file.optionalList("evaluate", program.evaluate);
  file.optionalList("sample", program.sample);
}

template <typename A> void describe(A &file, typename A::template Of<Plan> &plan) {
  file.field("model", plan.model);
  file.field("parameters", plan.parameters);
  file.optionalList("ties", plan.ties);
  file.field("distinct_layers", plan.distinctLayers);
  file.field("layers", plan.layers);
  file.field("mesh", plan.mesh);
  file.field("strategy", plan.strategy);
  file.field("numerics", plan.numerics);
  file.field("hardware", plan.hardware);
  file.field("backend", plan.backend);
  file.record("target", plan.target);
  file.field("kernel_files", plan.kernelFiles);
  file.field("model_config", plan.modelConfig);
  file.record("training", plan.training);
  file.field("inputs", plan.inputs);
  file.optionalList("loss_shares", plan.lossShares);
  file.optional("padding_counts", plan.paddingCounts, false);
  file.field("nvme_depth", plan.nvmeDepth);
  file.optionalList("weights", plan.weights);
  file.field("kernels", plan.kernels);
  file.field("programs", plan.programs);
  file.field("reasons", plan.reasons);
  file.record("prediction", plan.prediction);
}

} // namespace windlass::plan
