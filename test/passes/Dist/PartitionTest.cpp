// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A partitioned step trains as the whole step does: losses, norms and states are equal, on 1, 2 and 4 virtual
// ranks.

#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/huggingface/Gpt2.h"
#include "compiler/interpreter/Interpreter.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Dist/Passes.h"
#include "passes/Graph/Pipeline.h"
#include "passes/Graph/gradients/LayerGradient.h"
#include "test/compiler/import/ImportTesting.h"
#include <cmath>

using namespace mlir;

namespace windlass::dist {
namespace {

using interpreter::FeedRequest;
using interpreter::Interpreter;
using interpreter::States;
using interpreter::Tensor;

constexpr int64_t kMicroBatches = 2;

/// Two layers. The tied embedding and the matrices of the MLP are units, and the rest is packed.
constexpr const char *kGpt2 =
    R"({"n_layer": 2, "n_embd": 64, "n_head": 2, "n_positions": 6, "vocab_size": 260,
  "activation_function": "gelu_new", "embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0})";

/// One unit has exactly the smallest size, one is packed, and some sizes are divided by no number of pieces.
constexpr const char *kMlp =
    R"({"format": "windlass.model/1", "dims": {"B": "batch", "I": 37, "H": 128, "O": 5},
  "inputs": {"x": {"role": "features", "shape": ["B", "I"]}, "y": {"role": "targets", "shape": ["B", "O"]}},
  "params": {"fc.0.weight": {"shape": ["I", "H"], "init": {"normal": 0.2}},
             "fc.1.weight": {"shape": ["H", "H"], "init": {"normal": 0.1}},
             "fc.2.weight": {"shape": ["H", "O"], "init": {"normal": 0.1}}},
  "ops": [{"op": "matmul", "in": ["x", "fc.0.weight"], "out": "a"}, {"op": "relu", "in": ["a"], "out": "b"},
          {"op": "matmul", "in": ["b", "fc.1.weight"], "out": "c"}, {"op": "relu", "in": ["c"], "out": "d"},
          {"op": "matmul", "in": ["d", "fc.2.weight"], "out": "e"}, {"op": "mse", "in": ["e", "y"], "out": "losses"}],
  "loss": "losses"})";

enum class Model { Gpt2, Mlp };

OwningOpRef<ModuleOp> importModel(MLIRContext &context, Model model) {
  TrainingOptions training = test::trainingOf(2, model == Model::Gpt2 ? 6 : 0);
  training.microBatches = kMicroBatches;
  training.globalBatch = 2 * kMicroBatches;
  nlohmann::json document = nlohmann::json::parse(model == Model::Gpt2 ? kGpt2 : kMlp);
  Status failure;
  JsonReader reader(document, "gpt2.json", failure);
  if (model == Model::Gpt2)
    document = describeGpt2(reader, training);
  EXPECT_TRUE(failure) << failure.message();
  document["name"] = "model";
  auto module = buildGraph(context, document, "model.json", "", training);
  EXPECT_TRUE(module) << module.status().message();
  return module ? module.take() : nullptr;
}

/// Feeds another sample to every rank and micro-batch, and the same scalars of a step to all.
Result<Tensor> drawFeed(const FeedRequest &request) {
  static const std::map<std::string, double> scalars = {
      {"loss_seed", 0.02}, {"learning_rate", 0.01}, {"bias_correction1", 0.1}, {"bias_correction2", 0.001}};
  Tensor tensor(request.type.getShape());
  int64_t sample = request.rank * kMicroBatches + request.microBatch;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    auto scalar = scalars.find(request.item);
    uint64_t place = 1000003u * (sample + 1) + 7919u * static_cast<uint64_t>(i) + request.item.size();
    if (scalar != scalars.end())
      tensor.data[i] = scalar->second;
    else if (request.bound > 0)
      tensor.data[i] = static_cast<double>((place * place >> 7) % request.bound);
    else
      tensor.data[i] = std::sin(static_cast<double>(place % 1009));
  }
  return tensor;
}

struct Outcome {
  std::map<std::string, Tensor> reports; ///< by item, rank and micro-batch
  States states;                         ///< whole tensors by original name and role
};

std::string stateName(StringRef original, graph::SliceAttr slice, graph::Role role) {
  std::string tile;
  if (slice)
    for (int64_t begin : slice.getBegin().asArrayRef())
      tile += " from " + std::to_string(begin);
  return (original + tile + "." + stringifyEnum(role)).str();
}

void copyMembers(UnitAttr unit, graph::Role role, const Tensor &whole, States &states) {
  for (MemberAttr member : unit.getMembers()) {
    Tensor tensor(member.getShape().asArrayRef());
    std::copy_n(whole.data.begin() + member.getOffset(), tensor.size(), tensor.data.begin());
    states[stateName(member.getOriginal().getValue(), member.getSlice(), role)] = tensor;
  }
}

/// Joins the states of a partitioned module. Copies on several ranks must be equal.
States wholeStates(ModuleOp module, Interpreter &interpreter) {
  States states;
  int ranks = interpreter.getOptions().ranks;
  for (auto bucket : module.getOps<BucketOp>())
    for (auto attr : bucket.getClasses().getAsRange<graph::RoleAttr>()) {
      std::string name = (bucket.getSymName() + "." + stringifyEnum(attr.getValue())).str();
      int64_t base = 0, owner = bucket.ownerRank();
      const int64_t places = bucket.sharers(),
                    parts = attr.getValue() == graph::Role::Parameter ? 1 : bucket.parts();
      for (auto [number, unit] : llvm::enumerate(bucket.getUnits().getAsRange<UnitAttr>())) {
        Tensor whole(ArrayRef<int64_t>{places * unit.getPiece()});
        std::map<int64_t, int> firstAt; // the first rank of each place
        for (int rank = 0; rank < ranks; ++rank) {
          if (owner >= 0) { // the owner's shard is all of its units
            auto shard = interpreter.states(owner).at(name).data.begin() + ranks * base;
            std::copy_n(shard, whole.size(), whole.data.begin());
            continue;
          }
          if (bucket.isSharded(attr.getValue())) {
            const int64_t place = meshOf(bucket).placeOf(rank, bucket.axesOf(attr.getValue()));
            const int first = firstAt.try_emplace(place, rank).first->second;
            EXPECT_EQ(interpreter.states(rank).at(name), interpreter.states(first).at(name)) << name;
            const int64_t piece = unit.getPiece() / parts;
            auto shard = interpreter.states(rank).at(name).data.begin() + base / parts;
            std::copy_n(shard, piece, whole.data.begin() + place * piece);
            continue;
          }
          const Tensor &mine = interpreter.states(rank).at(name + ".u" + std::to_string(number));
          EXPECT_EQ(mine, interpreter.states(0).at(name + ".u" + std::to_string(number))) << name;
          llvm::copy(mine.data, whole.data.begin());
        }
        copyMembers(unit, attr.getValue(), whole, states);
        base += unit.getPiece();
      }
    }
  return states;
}

States graphStates(ModuleOp module, Interpreter &interpreter) {
  States states;
  for (auto state : module.getOps<graph::StateOp>()) {
    graph::StateOp parameter = state.getOf() ? module.lookupSymbol<graph::StateOp>(*state.getOf()) : state;
    states[stateName(parameter.getOriginal(), parameter.getSliceAttr(), state.getRole())] =
        interpreter.states().at(state.getSymName().str());
  }
  return states;
}

/// Runs two steps, so that the second reads the states of the first.
Outcome train(ModuleOp module, int ranks) {
  bool whole = module.getOps<MeshOp>().empty();
  Interpreter interpreter(module, {.ranks = ranks, .sumOverRanks = whole, .seed = 7});
  Outcome outcome;
  for (int step = 0; step < 2; ++step) {
    auto reports = interpreter.runStep("train", drawFeed);
    if (!reports) {
      ADD_FAILURE() << reports.status().message();
      return outcome;
    }
    for (interpreter::Report &report : *reports)
      outcome.reports[report.item + " of step " + std::to_string(step) + ", rank " +
                      std::to_string(report.rank) + ", micro-batch " + std::to_string(report.microBatch)] =
          report.value;
  }
  outcome.states = whole ? graphStates(module, interpreter) : wholeStates(module, interpreter);
  return outcome;
}

template <typename Map> void expectClose(const Map &found, const Map &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (auto &[name, tensor] : expected) {
    auto other = found.find(name);
    ASSERT_NE(other, found.end()) << name;
    ASSERT_EQ(other->second.shape, tensor.shape) << name;
    for (int64_t i = 0; i < tensor.size(); ++i)
      ASSERT_NEAR(other->second.data[i], tensor.data[i], 1e-12 * std::max(1.0, std::fabs(tensor.data[i])))
          << name << "[" << i << "]";
  }
}

void expectSameOutcome(const Outcome &found, const Outcome &expected) {
  expectClose(found.reports, expected.reports);
  expectClose(found.states, expected.states);
}

/// A model, and the options of the graph passes.
struct Variant {
  std::string name;
  Model model;
  std::string recompute = "none", compute = "f32";
  int64_t tileLimit = 0, tileActivation = 0;
};

class TrainingModel {
public:
  explicit TrainingModel(const Variant &variant) {
    context.loadDialect<DistDialect, graph::GraphDialect, arith::ArithDialect, math::MathDialect,
                        func::FuncDialect>();
    module = importModel(context, variant.model);
    PassManager manager(&context);
    graph::GraphTrainOptions options;
    options.microBatches = kMicroBatches;
    options.recompute = variant.recompute;
    options.compute = variant.compute;
    options.tileLimit = variant.tileLimit;
    options.tileActivation = variant.tileActivation;
    options.clip = 0.05; // small enough to clip: a wrong norm changes the states
    graph::buildGraphTrainPipeline(manager, options);
    EXPECT_TRUE(succeeded(manager.run(*module)));
  }

  static void run(ModuleOp module, std::unique_ptr<Pass> pass) {
    PassManager manager(module.getContext());
    manager.addPass(std::move(pass));
    EXPECT_TRUE(succeeded(manager.run(module)));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

class Partitioned : public testing::TestWithParam<std::tuple<Variant, int>> {};

bool hasRecomputation(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    graph::LayerFormAttr form = graph::formOf(function);
    return form && form.getPass() == graph::LayerPass::Repeating;
  });
}

bool hasMasters(ModuleOp module) {
  return llvm::any_of(module.getOps<graph::StateOp>(),
                      [](graph::StateOp state) { return state.getRole() == graph::Role::Master; });
}

TEST_P(Partitioned, TrainsAsTheWhole) {
  const auto &[variant, ranks] = GetParam();
  TrainingModel model(variant);
  ASSERT_EQ(hasRecomputation(*model.module), variant.recompute == "full");
  ASSERT_EQ(hasMasters(*model.module), variant.compute == "bf16");
  Outcome whole = train(*model.module, ranks);
  for (int64_t zero = 0; zero <= 3; ++zero)
    for (int64_t bucketBytes : {1, 70000}) { // every unit alone, and several together
      SCOPED_TRACE("ZeRO " + std::to_string(zero) + ", buckets of " + std::to_string(bucketBytes) + " bytes");
      OwningOpRef<ModuleOp> module = model.module->clone();
      PartitionOptions options;
      options.ranks = ranks;
      options.zero = zero;
      options.bucketBytes = bucketBytes;
      TrainingModel::run(*module, createPartition(options));
      expectSameOutcome(train(*module, ranks), whole);
      if (bucketBytes != 70000)
        continue;
      TrainingModel::run(*module, createFormKernels());
      TrainingModel::run(*module, createVerifyDist());
      expectSameOutcome(train(*module, ranks), whole);
    }
}

int64_t countOps(ModuleOp module, StringRef name) {
  int64_t count = 0;
  module.walk([&](Operation *op) { count += op->getName().getStringRef() == name; });
  return count;
}

/// Other exchanges compute the same: owners that broadcast, gradients that are whole on every rank, and
/// gradients that are reduced once a step.
TEST_P(Partitioned, TrainsAsTheWholeHoweverItMoves) {
  const auto &[variant, ranks] = GetParam();
  TrainingModel model(variant);
  Outcome whole = train(*model.module, ranks);
  for (bool owned : {false, true})
    for (bool allReduce : {false, true})
      for (bool perStep : {false, true})
        for (int64_t zero : {0, 1, 3}) {
          if ((zero == 3) != owned || (owned && (allReduce || perStep)))
            continue;
          SCOPED_TRACE("ZeRO " + std::to_string(zero) + (allReduce ? " all" : "") + (perStep ? " step" : ""));
          OwningOpRef<ModuleOp> module = model.module->clone();
          PartitionOptions options;
          options.ranks = ranks;
          options.zero = zero;
          options.owned = owned;
          options.allReduce = allReduce;
          options.reducePerStep = perStep;
          options.persistence = 300; // some packs stay whole beside owned buckets
          options.bucketBytes = 70000;
          TrainingModel::run(*module, createPartition(options));
          EXPECT_EQ(countOps(*module, "dist.broadcast") > 0, owned && ranks > 1);
          EXPECT_EQ(countOps(*module, "dist.reduce") > 0, owned && ranks > 1);
          if (allReduce && zero == 1) {
            EXPECT_GT(countOps(*module, "dist.own_shard"), 0);
          }
          TrainingModel::run(*module, createFormKernels());
          TrainingModel::run(*module, createVerifyDist());
          expectSameOutcome(train(*module, ranks), whole);
        }
}

/// Two groups of two ranks. Each group shards all states, or only parameters, over its ranks.
TEST_P(Partitioned, TrainsAsTheWholeInGroups) {
  const auto &[variant, ranks] = GetParam();
  if (ranks < 4)
    return;
  TrainingModel model(variant);
  Outcome whole = train(*model.module, ranks);
  for (auto [zero, finer, perStep, allReduce] : {std::tuple(0, false, false, false),
                                                 {0, false, true, false},
                                                 {1, false, false, false},
                                                 {1, false, true, false},
                                                 {2, false, false, false},
                                                 {3, false, false, false},
                                                 {0, true, false, false},
                                                 {0, true, true, false},
                                                 {1, true, false, false},
                                                 {1, true, true, false},
                                                 {1, true, false, true},
                                                 {2, true, false, false},
                                                 {3, true, false, false}}) {
    SCOPED_TRACE("ZeRO " + std::to_string(zero) + (finer ? " finer" : "") + (perStep ? " step" : "") +
                 (allReduce ? " all" : ""));
    OwningOpRef<ModuleOp> module = model.module->clone();
    PartitionOptions options;
    options.ranks = ranks;
    options.replicas = 2;
    options.finer = finer;
    options.zero = zero;
    options.reducePerStep = perStep;
    options.allReduce = allReduce;
    options.bucketBytes = 70000;
    TrainingModel::run(*module, createPartition(options));
    TrainingModel::run(*module, createFormKernels());
    TrainingModel::run(*module, createVerifyDist());
    expectSameOutcome(train(*module, ranks), whole);
  }
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Variant, int>> &info) {
  return std::get<0>(info.param).name + std::to_string(std::get<1>(info.param)) + "Ranks";
}

INSTANTIATE_TEST_SUITE_P(Models, Partitioned,
                         testing::Combine(testing::Values(Variant{"Gpt2", Model::Gpt2},
                                                          Variant{"Gpt2Recomputed", Model::Gpt2, "full"},
                                                          Variant{"Gpt2Masters", Model::Gpt2, "full", "bf16"},
                                                          Variant{"Mlp", Model::Mlp},
                                                          Variant{"MlpMasters", Model::Mlp, "none", "bf16"}),
                                          testing::Values(1, 2, 4)),
                         nameOf);

/// Tiles for parameters over 40,000 bytes and for logits.
INSTANTIATE_TEST_SUITE_P(Tiles, Partitioned,
                         testing::Combine(testing::Values(Variant{"Gpt2Tiled", Model::Gpt2, "full", "f32",
                                                                  40000, 8000}),
                                          testing::Values(2)),
                         nameOf);

/// Tests the oracle: two ranks compute the same as two micro-batches of one rank, up to the order of the sum.
TEST(Whole, RanksAreSamples) {
  TrainingModel model({"Mlp", Model::Mlp});
  Outcome two = train(*model.module, 2);
  OwningOpRef<ModuleOp> alone = model.module->clone();
  alone->walk([](graph::MicroBatchesOp micro) { micro.setCount(2 * kMicroBatches); });
  // Micro-batch m of one rank is a sample of rank m / kMicroBatches.
  expectClose(train(*alone, 1).states, two.states);
}

} // namespace
} // namespace windlass::dist
