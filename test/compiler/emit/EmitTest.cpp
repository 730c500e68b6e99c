// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every op of the plan level becomes its struct. Plans that cannot be emitted are refused.
#include "compiler/emit/Emit.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"
#include "runtime/plan/Enums.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace windlass;

namespace {

class Emit : public testing::Test {
protected:
  Emit() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, graph::GraphDialect,
                        dist::DistDialect, plandialect::PlanDialect>();
    plan.mesh = {{"dp", 2}};
  }

  Status emit(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module ? emitPlan({*module}, plan) : Status::internal("no module");
  }
  std::string messageOf(const std::string &text) { return emit(text).message(); }
  const plan::Instruction &instruction(size_t i) {
    return plan.programs[0].sections.back().instructions.at(i);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  plan::Plan plan;
};

TEST_F(Emit, arenasAndBuffers) {
  Status status = emit(R"(
    plan.arena device bytes 8192 at least 4096 of 65536
    plan.arena nvme bytes 4096 at least 4096 of 8192
    plan.buffer @home.w "w" parameter device[0] x 4096 persistent
    plan.buffer @only.0 "x" staging host[64] x 128 owner(1)
  )");
  ASSERT_TRUE(status) << status.message();
  ASSERT_EQ(plan.programs[0].arenas.size(), 2u);
  EXPECT_EQ(plan.programs[0].arenas[0].tier, plan::Tier::Device);
  EXPECT_EQ(plan.programs[0].arenas[0].bytes, 8192);
  EXPECT_EQ(plan.programs[0].arenas[0].lowerBound, 4096);
  EXPECT_EQ(plan.programs[0].arenas[0].capacity, 65536);
  EXPECT_EQ(plan.programs[0].arenas[1].tier, plan::Tier::Nvme);
  ASSERT_EQ(plan.programs[0].buffers.size(), 2u);
  EXPECT_EQ(plan.programs[0].buffers[0].name, "w");
  EXPECT_EQ(plan.programs[0].buffers[0].cls, plan::BufferClass::Parameter);
  EXPECT_EQ(plan.programs[0].buffers[0].tier, plan::Tier::Device);
  EXPECT_TRUE(plan.programs[0].buffers[0].persistent);
  EXPECT_EQ(plan.programs[0].buffers[0].owner, plan::kEveryRank);
  EXPECT_EQ(plan.programs[0].buffers[1].offset, 64);
  EXPECT_EQ(plan.programs[0].buffers[1].bytes, 128);
  EXPECT_FALSE(plan.programs[0].buffers[1].persistent);
  EXPECT_EQ(plan.programs[0].buffers[1].owner, 1);
}

/// A gradient has a layout like that of a state, but is no state.
TEST_F(Emit, statesAndGradients) {
  plan.weights = {{"/weights/a.safetensors", 1024, ""}, {"/weights/b.safetensors", 4096, ""}};
  Status status = emit(R"(
    plan.buffer @filler "x" feed host[0] x 64
    plan.buffer @home.w "w" parameter device[0] x 4096 persistent
    plan.state "w" parameter bf16 [8, 2] group "decay" init <normal = true, mean = 1.0 : f64, std = 0.5 : f64, source = <"/weights/b.safetensors", "W", "F16" at 96, transposed = true>> unit "pack"[64] pieces of 128 sharded home <@home.w[256] x 256> of "decay.0" slice(<[12, 6] from [4, 2]>)
    plan.state "v" momentum f32 [4] group "no_decay" init <normal = false, mean = 3.0 : f64, std = 0.0 : f64> unit "v"[0] pieces of 64 home <@home.w[1024] x 512> of "no_decay.0"
    plan.state "v" gradient f32 [4] group "no_decay" init <normal = false, mean = 0.0 : f64, std = 0.0 : f64> unit "v"[0] pieces of 64 home <@home.w[2048] x 512> of "no_decay.0"
  )");
  ASSERT_TRUE(status) << status.message();
  ASSERT_EQ(plan.programs[0].states.size(), 2u);
  const plan::State &w = plan.programs[0].states[0], &v = plan.programs[0].states[1];
  EXPECT_EQ(w.name, "w");
  EXPECT_EQ(w.cls, plan::StateClass::Parameter);
  EXPECT_EQ(w.type, plan::ElementType::BF16);
  EXPECT_EQ(w.shape, (std::vector<int64_t>{8, 2}));
  EXPECT_EQ(w.slice, (plan::Slice{{12, 6}, {4, 2}}));
  EXPECT_EQ(w.bucket, "decay.0");
  EXPECT_EQ(w.group, "decay");
  EXPECT_EQ(w.init.kind, plan::InitKind::Normal);
  EXPECT_EQ(w.init.mean, 1.0);
  EXPECT_EQ(w.init.std, 0.5);
  EXPECT_EQ(w.source, (plan::TensorSource{1, "W", plan::StoredType::F16, 96, true}));
  EXPECT_EQ(w.unit, "pack");
  EXPECT_EQ(w.unitOffset, 64);
  EXPECT_EQ(w.pieceElements, 128);
  EXPECT_TRUE(w.sharded);
  EXPECT_EQ(w.home.buffer, 1u);
  EXPECT_EQ(w.home.offset, 256);
  EXPECT_EQ(w.home.bytes, 256);
  EXPECT_FALSE(v.sharded);
  EXPECT_EQ(v.init.kind, plan::InitKind::Constant);
  EXPECT_EQ(v.init.value, 3.0);
  EXPECT_EQ(v.source.file, -1);
  ASSERT_EQ(plan.programs[0].gradients.size(), 1u);
  EXPECT_EQ(plan.programs[0].gradients[0].cls, plan::StateClass::Gradient);
}

constexpr const char *kInstructions = R"(
  func.func private @k(%x: tensor<8x2xf32>) -> tensor<8x2xf32> attributes {dist.kernel} {
    %y = graph.map ins(%x : tensor<8x2xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<8x2xf32> {
    ^bb0(%a: f32):
      graph.yield %a : f32
    }
    return %y : tensor<8x2xf32>
  }
  plan.buffer @h "h" feed host[0] x 4096
  plan.buffer @d "d" feed device[0] x 4096
  plan.section @first_section "first" {
  }
  plan.section @middle_section "middle" attributes {advance = 2 : i64} {
  }
  plan.section @last_section "last" {
    plan.feed host_compute ordinal 1 "x" [#plan.at<@h[0] x 64>] wait [] from <"", "feed x", forward>
    plan.upload cg_in ordinal 1 [#plan.at<@h[0] x 64>, #plan.at<@d[64] x 64>] wait [#flow.wait<host_compute : 1>] from <"", "x", forward>
    plan.launch compute ordinal 1 @k[2, 8) [#plan.at<@d[64] x 64>, #plan.at<@d[128] x 64 strides[64]>] wait [#flow.wait<cg_in : 1>, #flow.wait<gg : 0 previous {first = 1 : i64, middle = 2 : i64}>] from <"h.0", "map", backward>
    plan.launch compute ordinal 2 @k[0, 8) [#plan.at<@d[64] x 64>, #plan.at<@d[128] x 64>] wait [] from <"h.1", "map", recompute, micro_batch 1>
    plan.all_gather gg ordinal 1 piece_bytes [64, 32] [#plan.at<@d[0] x 4096>, #plan.at<@d[0] x 128>, #plan.at<@d[0] x 64>] wait [] from <"", "w", forward>
    plan.reduce_scatter gg ordinal 2 bf16 piece_bytes [64] [#plan.at<@d[0] x 4096>, #plan.at<@d[0] x 128>] wait [] from <"", "w", backward>
    plan.reduce gg ordinal 3 f32 piece_bytes [64] [#plan.at<@d[0] x 4096>, #plan.at<@d[0] x 64>] wait [] from <"", "w", update>
    plan.report host_compute ordinal 2 "loss" [#plan.at<@h[0] x 64>] wait [] from <"", "loss", forward>
  }
  plan.schedule train [@first_section, @middle_section, @last_section] times [1, 3, 1]
)";

TEST_F(Emit, instructionsInOrder) {
  Status status = emit(kInstructions);
  ASSERT_TRUE(status) << status.message();
  ASSERT_EQ(plan.programs[0].sections.size(), 3u);
  EXPECT_EQ(plan.programs[0].sections[1].advance, 2);
  EXPECT_EQ(plan.programs[0].sections[2].name, "last");
  using enum plan::Opcode;
  std::vector<plan::Opcode> ops;
  for (const plan::Instruction &each : plan.programs[0].sections[2].instructions)
    ops.push_back(each.op);
  EXPECT_EQ(ops, (std::vector{Feed, Upload, Launch, Launch, AllGather, ReduceScatter, Reduce, Report}));
  EXPECT_EQ(instruction(0).item, "x");
  EXPECT_EQ(instruction(0).lane, plan::Lane::HostCompute);
  EXPECT_EQ(instruction(1).origin.what, "x");
  const plan::Instruction &launch = instruction(2);
  EXPECT_EQ(launch.origin.function, "h.0");
  EXPECT_EQ(launch.origin.phase, plan::Phase::Backward);
  EXPECT_EQ(launch.microBatch, 0);
  EXPECT_EQ(instruction(3).microBatch, 1);
  EXPECT_EQ(launch.begin, 2);
  EXPECT_EQ(launch.end, 8);
  ASSERT_EQ(launch.operands.size(), 2u);
  EXPECT_EQ(launch.operands[1].buffer, 1u);
  EXPECT_EQ(launch.operands[1].offset, 128);
  EXPECT_EQ(launch.operands[1].bytes, 64);
  EXPECT_TRUE(launch.operands[0].stride.empty());
  EXPECT_EQ(launch.operands[1].stride, std::vector<int64_t>{64});
}

TEST_F(Emit, schedules) {
  ASSERT_TRUE(emit(kInstructions));
  ASSERT_EQ(plan.programs[0].train.size(), 3u);
  EXPECT_EQ(plan.programs[0].train[1].section, 1u);
  EXPECT_EQ(plan.programs[0].train[1].times, 3);
  EXPECT_TRUE(plan.programs[0].evaluate.empty());
}

TEST_F(Emit, waitsOfThisSectionAndOfTheOneBefore) {
  ASSERT_TRUE(emit(kInstructions));
  const std::vector<plan::Wait> &waits = instruction(2).waits;
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].lane, plan::Lane::CgIn);
  EXPECT_EQ(waits[0].ordinal, 1u);
  EXPECT_FALSE(waits[0].isPrevious());
  EXPECT_EQ(waits[1].lane, plan::Lane::Gg);
  EXPECT_EQ(waits[1].previous, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 2}}));
}

/// A kernel has one entry, however often it is launched.
TEST_F(Emit, kernelsOnce) {
  ASSERT_TRUE(emit(kInstructions));
  ASSERT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.kernels[0].symbol, "k");
  EXPECT_EQ(instruction(2).kernel, 0);
  EXPECT_EQ(instruction(3).kernel, 0);
  EXPECT_EQ(instruction(4).kernel, -1);
}

/// A collective moves the bytes of all ranks, one with a root those of the owner, a copy those of its
/// operand.
TEST_F(Emit, bytesMoved) {
  ASSERT_TRUE(emit(kInstructions));
  const int64_t expected[] = {0, 64, 0, 0, 192, 128, 64, 0};
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(instruction(i).bytesMoved, expected[i]) << i;
  EXPECT_EQ(instruction(4).pieceBytes, (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(instruction(5).type, plan::ElementType::BF16);
  EXPECT_EQ(instruction(6).type, plan::ElementType::F32);
}

TEST_F(Emit, refusesWhatThePlanHasNoWordFor) {
  EXPECT_EQ(messageOf(R"(
    plan.section @s "only" {
      plan.launch compute ordinal 1 @k[0, 8) [] wait [] from <"", "", forward>
    })"),
            "no kernel k");
  EXPECT_EQ(messageOf(R"(
    plan.state "w" parameter i8 [8] group "decay" init <normal = false, mean = 0.0 : f64, std = 0.0 : f64> unit "w"[0] pieces of 64 home <@w[0] x 256> of "decay.0"
  )"),
            "a plan has no element type i8");
  EXPECT_EQ(messageOf(R"(
    plan.state "w" parameter f32 [8] group "decay" init <normal = false, mean = 0.0 : f64, std = 0.0 : f64, source = <"/gone", "W", "F32" at 0, transposed = false>> unit "w"[0] pieces of 64 home <@w[0] x 256> of "decay.0"
  )"),
            "the plan knows no weight file /gone");
}

} // namespace
