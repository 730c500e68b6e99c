// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of updates by the homes of states, updates that wait for the norm of all gradients, and the choice
// between placements of nearly equal cost.

#include "passes/Flow/layout/PlaceStates.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include "mlir/Parser/Parser.h"
#include "passes/Flow/layout/BuildPlacement.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace windlass::flow {
namespace {

constexpr int64_t kElements = 1024, kBytes = 4 * kElements;

/// A parameter `w` with a gradient `g` and a momentum `m` that an update reads and writes, on one rank.
/// `update`: the update; `scale`: the op that makes the scalar %scale, which the update reads; `forwards`:
/// the number of launches of the forward pass, each of which takes a fifth of the seconds of the update.
std::string moduleText(const std::string &scale, const std::string &update, int forwards = 1) {
  std::string forward;
  for (int i = 0; i < forwards; ++i)
    forward +=
        R"(    flow.launch @k[0, 1024) () -> (%y) {origin = #flow.origin<"", "forward", forward>} : () -> !flow.buffer<4096, device>
)";
  return R"(
  dist.mesh @mesh dp(1)
  func.func private @k() -> tensor<1024xf32> attributes {dist.kernel} {
    %y = graph.map ins() maps [] -> tensor<1024xf32> {
      %zero = arith.constant 0.0 : f32
      graph.yield %zero : f32
    }
    return %y : tensor<1024xf32>
  }
  func.func private @one() -> tensor<f32> attributes {dist.kernel} {
    %y = graph.map ins() maps [] -> tensor<f32> {
      %one = arith.constant 1.0 : f32
      graph.yield %one : f32
    }
    return %y : tensor<f32>
  }
  func.func private @sgd(%m: tensor<1024xf32>, %w: tensor<1024xf32>, %g: tensor<1024xf32>, %s: tensor<f32>) -> (tensor<1024xf32>, tensor<1024xf32>) attributes {dist.kernel} {
    %x, %y = graph.map ins(%m, %w, %g, %s : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<f32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] -> tensor<1024xf32>, tensor<1024xf32> {
    ^bb0(%b: f32, %a: f32, %c: f32, %d: f32):
      %e = arith.mulf %c, %d : f32
      %t = arith.addf %b, %e : f32
      %r = arith.subf %a, %t : f32
      graph.yield %t, %r : f32, f32
    }
    return %x, %y : tensor<1024xf32>, tensor<1024xf32>
  }
  flow.home @w bytes(4096) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>, unit = 0 : i64}
  flow.home @m bytes(4096) class(momentum) tier(unplaced) {bucket = @b, role = #graph<role momentum>, unit = 0 : i64}
  flow.home @g bytes(4096) class(gradient) tier(unplaced) {bucket = @b, element = f32, role = #graph<role gradient>}
  flow.schedule train [@only] times [1]
  flow.section @only {
    %w = flow.use @w : <4096, unplaced>
    %m = flow.use @m : <4096, unplaced>
    %g = flow.use @g : <4096, unplaced>
    %y = flow.alloc "y" class(activation) : <4096, device>
)" + forward +
         R"(    flow.launch @k[0, 1024) () -> (%g) {origin = #flow.origin<"", "backward", backward>} : () -> !flow.buffer<4096, unplaced>
    %scale = flow.alloc "scale" class(feed) : <4, device>
    )" + scale +
         "\n    " + update + "\n  }\n";
}

const std::string kComputed =
    R"(flow.launch @one[0, 1) () -> (%scale) {origin = #flow.origin<"update", "scale", update>} : () -> !flow.buffer<4, device>)";
const std::string kFed =
    R"(flow.feed "learning_rate" -> %scale {origin = #flow.origin<"update", "feed", update>} : !flow.buffer<4, device>)";
/// The update of whole states: a launch.
const std::string kLaunch =
    R"(flow.launch @sgd[0, 1024) (%m, %w, %g, %scale) -> (%m, %w) {origin = #flow.origin<"update", "sgd", update>} : (!flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>, !flow.buffer<4, device>) -> (!flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>))";
/// The update of shards.
const std::string kUpdate =
    R"(flow.update @sgd(%m, %w, %g, %scale, %m, %w) {counts = array<i64: 1, 1, 1, 1, 1, 1>, element_bytes = array<i64: 4, 4, 4, 0, 4, 4>, num_inputs = 4 : i64, pieces = array<i64: 1024>, whole = array<i1: false, false, false, false, false, false>, origin = #flow.origin<"update", "sgd", update>} : !flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>, !flow.buffer<4, device>, !flow.buffer<4096, unplaced>, !flow.buffer<4096, unplaced>)";

class PlaceStates : public testing::Test {
protected:
  PlaceStates() {
    context.loadDialect<FlowDialect, dist::DistDialect, graph::GraphDialect, arith::ArithDialect,
                        func::FuncDialect>();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  static model::Machine machine() {
    Result<model::Machine> machine = model::parseMachine(
        R"({"format": "windlass.hardware/1", "name": "m", "ranks": 1,
            "device": {"capacity": "64KiB", "flops": {"f32": "50GFLOP/s"}, "bandwidth": "20GB/s"},
            "host": {"capacity": "256KiB", "bandwidth": "20GB/s"},
            "nvme": {"capacity": "64KiB", "read": "1.3GB/s", "write": "1GB/s"},
            "links": {"cg": {"in": "20GB/s", "out": "20GB/s"}, "gg": {"bandwidth": "20GB/s"}}})",
        "m.json");
    EXPECT_TRUE(machine) << machine.status().message();
    return machine.take();
  }

  planning::PlacementProblem problemOf(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    return module ? buildPlacement(*module, machine(), {}).problem : planning::PlacementProblem();
  }

  MLIRContext context;
};

const planning::PlacementItem &itemOf(const planning::PlacementProblem &problem, std::string_view cls) {
  return *llvm::find_if(problem.items, [&](const auto &item) { return item.cls == cls; });
}

} // namespace

/// The update of whole states moves as many bytes and computes as much as that of shards.
TEST_F(PlaceStates, updatesOfWholeStatesAreCounted) {
  const planning::PlacementProblem launch = problemOf(moduleText(kComputed, kLaunch)),
                                   update = problemOf(moduleText(kComputed, kUpdate));
  ASSERT_EQ(launch.items.size(), 3u);
  constexpr auto nvme = static_cast<size_t>(plan::Tier::Nvme), host = static_cast<size_t>(plan::Tier::Host);
  for (const planning::PlacementProblem *problem : {&launch, &update}) {
    for (const char *cls : {"moments", "param"}) {
      EXPECT_EQ(itemOf(*problem, cls).cost[nvme].updates.ncIn, kBytes) << cls;
      EXPECT_EQ(itemOf(*problem, cls).cost[nvme].updates.ncOut, kBytes) << cls;
    }
    const planning::PlacementItem &worker = itemOf(*problem, "moments");
    EXPECT_GT(worker.cost[host].updates.hostCompute, 0);
    EXPECT_GT(worker.cost[0].updates.compute, 0);
    EXPECT_EQ(worker.cost[0].updates.hostCompute, 0);
    ASSERT_EQ(problem->updates.size(), 2u); // of the parameter and of the gradient
    for (const planning::UpdateTraffic &traffic : problem->updates)
      EXPECT_EQ(traffic.reads, kBytes);
  }
}

/// With a short forward pass an update on the host saves much of a step, with a long one less than 2 %. A
/// stage keeps on the device all states that fit.
TEST_F(PlaceStates, whatFitsLeavesTheDeviceOnlyWhereThatIsWorthIt) {
  const auto restsOnDevice = [&](int forwards, bool isStage) {
    OwningOpRef<ModuleOp> module = parse(moduleText(kFed, kLaunch, forwards));
    const model::Machine roomy = machine();
    PlacementRequest request;
    request.isStage = isStage;
    Result<Placement> placement = StatePlacer(*module, roomy, request).place({});
    EXPECT_TRUE(placement) << placement.status().message();
    return placement && allOnDevice(placement->homes);
  };
  EXPECT_FALSE(restsOnDevice(1, /*isStage=*/false));
  EXPECT_TRUE(restsOnDevice(1, /*isStage=*/true));
  EXPECT_TRUE(restsOnDevice(400, /*isStage=*/false));
}

/// A scalar that the step computes depends on the norm of all gradients, and a scalar that is fed does not.
TEST_F(PlaceStates, updatesWaitForAScaleThatIsComputed) {
  for (const std::string &update : {kLaunch, kUpdate}) {
    EXPECT_TRUE(problemOf(moduleText(kComputed, update)).updatesWait);
    EXPECT_FALSE(problemOf(moduleText(kFed, update)).updatesWait);
  }
}

} // namespace windlass::flow
