// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No unit crosses a segment, and units, their order and their pieces are the same under all decisions.

#include "compiler/import/graphjson/GraphJson.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Dist/ShardLayout.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Pipeline.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;

namespace windlass::dist {
namespace {

/// Three layers between two linear layers. Parameters behind the layers are declared first, in the order of
/// names. All tensors except those of 128 x 128 are packed.
constexpr const char *kModel =
    R"({"format": "windlass.model/1", "name": "model", "dims": {"B": "batch", "I": 5, "H": 128, "O": 3},
  "inputs": {"x": {"role": "features", "shape": ["B", "I"]}, "y": {"role": "targets", "shape": ["B", "O"]}},
  "params": {"behind.weight": {"shape": ["H", "O"], "init": {"normal": 0.2}},
             "behind.bias": {"shape": ["O"], "init": {"normal": 0.1}},
             "behind.wide": {"shape": ["H", "H"], "init": {"normal": 0.1}},
             "input.weight": {"shape": ["I", "H"], "init": {"normal": 0.2}},
             "input.bias": {"shape": ["H"], "init": {"normal": 0.1}}},
  "blocks": {"layer": {"in": ["h"],
    "params": {"weight": {"shape": ["H", "H"], "init": {"normal": 0.1}},
               "scale": {"shape": ["H"], "init": {"normal": 0.1}},
               "bias": {"shape": ["H"], "init": {"normal": 0.1}}},
    "ops": [{"op": "matmul", "in": ["h", "weight"], "out": "a"}, {"op": "add", "in": ["a", "bias"], "out": "b"},
            {"op": "mul", "in": ["b", "scale"], "out": "c"}, {"op": "relu", "in": ["c"], "out": "d"}],
    "out": ["d"]}},
  "ops": [{"op": "matmul", "in": ["x", "input.weight"], "out": "u"}, {"op": "add", "in": ["u", "input.bias"], "out": "v"},
          {"repeat": 3, "block": "layer", "carry": ["v"], "name": "layer.{i}"},
          {"op": "matmul", "in": ["v", "behind.wide"], "out": "w"},
          {"op": "matmul", "in": ["w", "behind.weight"], "out": "p"}, {"op": "add", "in": ["p", "behind.bias"], "out": "q"},
          {"op": "mse", "in": ["q", "y"], "out": "losses"}],
  "loss": "losses"})";

/// A line for each unit, in the order of the norm: its name and piece, its members and their begins.
using Units = std::vector<std::string>;

Units unitsOf(const ShardLayout &layout) {
  Units units;
  for (const BucketPlan &bucket : layout.buckets)
    for (const UnitPlan &unit : bucket.units) {
      std::string line = unit.name + " in pieces of " + std::to_string(unit.piece) + ":";
      for (auto [member, offset] : llvm::zip_equal(unit.members, unit.offsets))
        line += " " + graph::StateOp(member).getOriginal().str() + " at " + std::to_string(offset);
      units.push_back(line);
    }
  return units;
}

class SegmentsTest : public testing::Test {
protected:
  SegmentsTest() {
    context.loadDialect<DistDialect, graph::GraphDialect, arith::ArithDialect, math::MathDialect,
                        func::FuncDialect>();
    TrainingOptions training = test::trainingOf(2, 0);
    training.globalBatch = 4;
    auto module = buildGraph(context, nlohmann::json::parse(kModel), "model.json", "", training);
    EXPECT_TRUE(module) << module.status().message();
    if (module)
      imported = module.take();
  }

  OwningOpRef<ModuleOp> graphOf(const std::string &recompute, const std::string &compute) {
    OwningOpRef<ModuleOp> module = imported->clone();
    PassManager manager(&context);
    graph::GraphTrainOptions options;
    options.microBatches = 2;
    options.recompute = recompute;
    options.compute = compute;
    graph::buildGraphTrainPipeline(manager, options);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    return module;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> imported;
};

TEST_F(SegmentsTest, PartPacksAndBucketsInProgramOrder) {
  ASSERT_TRUE(imported);
  OwningOpRef<ModuleOp> module = graphOf("none", "f32");
  const ShardLayout layout = layOutShards(*module, {.ranks = 2});
  EXPECT_EQ(unitsOf(layout),
            (Units{"no_decay.pack in pieces of 64: input.bias at 0",
                   "decay.pack in pieces of 320: input.weight at 0",
                   "layer.0.no_decay.pack in pieces of 128: layer.0.bias at 0 layer.0.scale at 128",
                   "layer.0.weight in pieces of 8192: layer.0.weight at 0",
                   "layer.1.no_decay.pack in pieces of 128: layer.1.bias at 0 layer.1.scale at 128",
                   "layer.1.weight in pieces of 8192: layer.1.weight at 0",
                   "layer.2.no_decay.pack in pieces of 128: layer.2.bias at 0 layer.2.scale at 128",
                   "layer.2.weight in pieces of 8192: layer.2.weight at 0",
                   "no_decay.pack.1 in pieces of 64: behind.bias at 0",
                   "decay.pack.1 in pieces of 192: behind.weight at 0",
                   "behind.wide in pieces of 8192: behind.wide at 0"}));
  std::vector<std::string> buckets;
  for (const BucketPlan &bucket : layout.buckets)
    buckets.push_back(bucket.symbol);
  EXPECT_EQ(buckets,
            (std::vector<std::string>{"no_decay.0", "decay.0", "layer.0.no_decay.0", "layer.0.decay.0",
                                      "layer.1.no_decay.0", "layer.1.decay.0", "layer.2.no_decay.0",
                                      "layer.2.decay.0", "no_decay.1", "decay.1"}));
}

TEST_F(SegmentsTest, GiveTheSameUnitsWhateverIsDecided) {
  ASSERT_TRUE(imported);
  OwningOpRef<ModuleOp> plain = graphOf("none", "f32");
  const Units expected = unitsOf(layOutShards(*plain, {.ranks = 2}));
  std::set<size_t> bucketCounts;
  for (const char *recompute : {"none", "selective", "full"})
    for (const char *compute : {"f32", "bf16"}) {
      OwningOpRef<ModuleOp> module = graphOf(recompute, compute);
      for (int64_t zero = 0; zero <= 3; ++zero)
        for (int64_t bucketBytes : {1, 70000, 4 << 20})
          for (bool owned : {false, true}) {
            ShardOptions options{.ranks = 2, .zero = zero, .bucketBytes = bucketBytes};
            options.persistence = zero == 3 ? 300 : 0;
            options.owned = owned;
            const ShardLayout layout = layOutShards(*module, options);
            bucketCounts.insert(layout.buckets.size());
            EXPECT_EQ(unitsOf(layout), expected) << recompute << " " << compute << " ZeRO " << zero;
          }
    }
  EXPECT_EQ(bucketCounts, (std::set<size_t>{10, 11})); // decay.1 has a pack and a matrix
}

/// The segments are found from the imported program alone, in which nothing was moved.
TEST_F(SegmentsTest, AreCrossedByNoUnitNorBucket) {
  ASSERT_TRUE(imported);
  std::map<std::string, std::string> readBehind; // by parameter, the layer call before its first use
  auto evaluate = imported->lookupSymbol<graph::StepOp>("evaluate");
  ASSERT_TRUE(evaluate);
  std::string call = "none";
  for (Operation &op : evaluate.getBody().front()) {
    for (Value operand : op.getOperands())
      if (auto read = operand.getDefiningOp<graph::ReadOp>())
        readBehind.try_emplace(read.getState().str(), call);
    if (auto layer = op.getAttrOfType<StringAttr>(graph::kLayer))
      call = layer.str();
  }
  ASSERT_EQ(readBehind.at("input.weight"), "none");
  ASSERT_EQ(readBehind.at("behind.bias"), "layer.2");
  OwningOpRef<ModuleOp> module = graphOf("full", "bf16");
  for (const BucketPlan &bucket : layOutShards(*module, {.ranks = 2}).buckets) {
    std::set<std::string> segments;
    for (const UnitPlan &unit : bucket.units)
      for (graph::StateOp member : unit.members)
        segments.insert(std::string(member.getLayer()) + " behind " +
                        readBehind.at(member.getSymName().str()));
    EXPECT_EQ(segments.size(), 1u) << bucket.symbol;
  }
}

} // namespace
} // namespace windlass::dist
