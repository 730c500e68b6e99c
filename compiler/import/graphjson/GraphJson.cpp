// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJson.h"

#include "compiler/import/graphjson/GraphJsonBlocks.h"
#include "compiler/import/graphjson/GraphJsonOps.h"
#include "compiler/import/graphjson/IgnoredLabels.h"
#include "compiler/import/graphjson/UnreadArguments.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "runtime/base/File.h"
#include <filesystem>

using namespace mlir;

namespace windlass {
namespace {

constexpr std::string_view kFormat = "windlass.model/1";
constexpr std::string_view kRoles[] = {"tokens", "labels", "classes", "other_labels", "features", "targets"};
constexpr size_t kIntegerRoles = 4; ///< the first of them

struct Input {
  std::string name;
  std::string_view role;
  JsonReader shape; ///< its sizes differ between steps
  int64_t bound = 0;
  std::optional<int64_t> ignored = std::nullopt; ///< null: not named
  int64_t first = 0;                             ///< the first label of an example that counts

  bool holdsLabels() const { return role == "labels" || role == "classes" || role == "other_labels"; }
};

/// Turns one document into one module.
class GraphReader {
public:
  GraphReader(MLIRContext &context, JsonReader document, const TrainingOptions &training)
      : context(context), top(std::move(document)), training(training),
        dims(top.at("dims"), training, training.microBatch), blocks(top, dims, &context),
        module(ModuleOp::create(UnknownLoc::get(&context))) {}

  OwningOpRef<ModuleOp> read();

private:
  void readInputs();
  void readStates();
  void checkLayerNames(const Repeat &repeat);
  void settleIgnored();
  void writeStep(const std::string &name, const Dimensions &sizes, const std::string &suffix,
                 const std::set<size_t> &ops, llvm::function_ref<void(ValueTable &, OpBuilder &)> report);
  void defineInputs(const Dimensions &sizes, ValueTable &values, OpBuilder &builder);
  void writeEvaluate();
  void writeSample();
  std::set<size_t> opsBefore(JsonReader outputs);
  bool isLanguageModel() const;

  MLIRContext &context;
  JsonReader top;
  const TrainingOptions &training;
  Dimensions dims;
  Blocks blocks;
  OwningOpRef<ModuleOp> module;
  std::vector<Input> inputs;
  std::vector<Parameter> parameters; ///< of the steps themselves
  int64_t layers = 0;
  std::set<std::string> distinctLayers;
  std::set<std::string> layerNames;
};

void GraphReader::readInputs() {
  JsonReader place = top.at("inputs");
  for (const std::string &name : place.keys()) {
    JsonReader input = place.at(name);
    size_t role = input.at("role").choice(kRoles);
    JsonReader shape = input.at("shape");
    if (shape.size() == 0 || !dims.isBatch(shape.at(size_t(0))))
      shape.fail("the first dimension must be the one that \"dims\" binds to \"batch\"");
    int64_t bound = role < kIntegerRoles ? dims.size(input.at("bound")) : 0;
    Input read{name, kRoles[role], shape, bound};
    if (read.holdsLabels() && input.has("ignored"))
      read.ignored = input.at("ignored").integer(INT32_MIN, INT32_MAX);
    const Shape extents = dims.shape(shape);
    if (!input.isOk()) // some extents are missing
      return;
    if (read.holdsLabels() && input.has("first"))
      read.first = input.at("first").integer(0, llvm::product_of(drop_begin(extents)) - 1);
    input.finish();
    inputs.push_back(std::move(read));
  }
}

/// Checks that no earlier operation repeats a layer of the same name.
void GraphReader::checkLayerNames(const Repeat &repeat) {
  JsonReader place = repeat.place;
  for (int64_t i = 0; i < repeat.count && place.isOk(); ++i)
    if (!layerNames.insert(repeat.layer(i)).second)
      place.at("name").fail("names the layer \"" + repeat.layer(i) + "\", as another \"repeat\" does");
}

void GraphReader::readStates() {
  StateWriter states(OpBuilder::atBlockEnd(module->getBody()));
  for (std::string_view step : {"train", "evaluate", "sample"})
    states.reserve(std::string(step));
  for (const std::string &block : blocks.names())
    states.reserve(block);
  parameters = readParameters(top, dims, &context);
  for (const Parameter &parameter : parameters)
    if (llvm::any_of(inputs, [&](const Input &input) { return input.name == parameter.name; }))
      return top.at("params").at(parameter.name).fail("is the name of an input, too");
  for (const Parameter &parameter : parameters)
    states.add(top.at("params").at(parameter.name), parameter, parameter.name, "");
  JsonReader ops = top.at("ops");
  for (size_t i = 0; i < ops.size() && ops.isOk(); ++i)
    if (Repeat::isAt(ops.at(i))) {
      Repeat repeat(ops.at(i), dims);
      checkLayerNames(repeat);
      blocks.addStates(repeat, states);
      layers += repeat.count;
      distinctLayers.insert(repeat.block);
    }
}

void GraphReader::settleIgnored() {
  IgnoredLabels ignored;
  for (const Input &input : inputs)
    if (input.holdsLabels())
      ignored[input.name] = input.ignored;
  settleIgnoredLabels(top, ignored);
  for (Input &input : inputs)
    if (input.holdsLabels())
      input.ignored = ignored[input.name];
}

void GraphReader::defineInputs(const Dimensions &sizes, ValueTable &values, OpBuilder &builder) {
  for (const Input &input : inputs)
    values.defineLazily(input.name, [&]() -> Value {
      bool isInteger = llvm::is_contained(ArrayRef(kRoles).take_front(kIntegerRoles), input.role);
      Type element = isInteger ? Type(builder.getI32Type()) : Type(builder.getF32Type());
      RankedTensorType type = graph::tensorType(sizes.shape(input.shape), element);
      const auto role =
          graph::InputRoleAttr::get(builder.getContext(), *plan::fromText<plan::InputRole>(input.role));
      auto feed =
          graph::FeedOp::create(builder, builder.getUnknownLoc(), type, input.name, input.bound, role);
      if (const int64_t ignored = input.ignored.value_or(graph::kIgnoredLabel);
          ignored != graph::kIgnoredLabel)
        feed->setAttr(graph::kIgnored, builder.getI64IntegerAttr(ignored));
      if (input.first != 0)
        feed->setAttr(graph::kFirst, builder.getI64IntegerAttr(input.first));
      return feed;
    });
  for (const Parameter &parameter : parameters)
    values.defineLazily(parameter.name, [&]() -> Value {
      return graph::ReadOp::create(builder, builder.getUnknownLoc(), parameter.type, parameter.name);
    });
}

void GraphReader::writeStep(const std::string &name, const Dimensions &sizes, const std::string &suffix,
                            const std::set<size_t> &ops,
                            llvm::function_ref<void(ValueTable &, OpBuilder &)> report) {
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto step = graph::StepOp::create(builder, builder.getUnknownLoc(), name);
  builder.createBlock(&step.getBody());
  ValueTable values;
  defineInputs(sizes, values, builder);
  JsonReader places = top.at("ops");
  for (size_t i : ops) {
    JsonReader place = places.at(i);
    if (Repeat::isAt(place))
      blocks.call(Repeat(place, sizes), sizes, suffix, values, builder, *module);
    else
      buildOp(place, sizes, values, builder);
    if (!top.isOk())
      return;
  }
  report(values, builder);
}

void GraphReader::writeEvaluate() {
  std::set<size_t> all;
  for (size_t i = 0; i < top.at("ops").size(); ++i)
    all.insert(i);
  writeStep("evaluate", dims, "", all, [&](ValueTable &values, OpBuilder &builder) {
    Value loss = values.find(top.at("loss"));
    if (!top.isOk())
      return;
    if (!isa<FloatType>(graph::typeOf(loss).getElementType()))
      return top.at("loss").failRule("must be a value of floating-point numbers");
    Location loc = builder.getUnknownLoc();
    graph::ReportOp::create(builder, loc, "loss", buildSum(builder, loc, loss), FlatSymbolRefAttr());
    for (const std::string &name : values.unused()) {
      auto parameter = llvm::find_if(parameters, [&](auto &p) { return p.name == name; });
      const bool isParameter = parameter != parameters.end();
      if (!isParameter ||
          parameter->group != graph::kFrozenGroup) // a frozen one may be there for checkpoints alone
        top.fail("the " + std::string(isParameter ? "parameter" : "input") + " \"" + name +
                 "\" is never used");
    }
  });
}

/// The operations that the outputs depend on.
std::set<size_t> GraphReader::opsBefore(JsonReader outputs) {
  std::set<std::string> needed;
  for (size_t i = 0; i < outputs.size(); ++i)
    needed.insert(outputs.at(i).text());
  std::set<size_t> ops;
  JsonReader places = top.at("ops");
  for (size_t i = places.size(); i-- > 0;) {
    JsonReader place = places.at(i);
    bool isRepeat = Repeat::isAt(place);
    SmallVector<std::string> reads = namesAt(place, isRepeat ? "carry" : "in");
    SmallVector<std::string> writes = isRepeat ? reads : namesAt(place, "out");
    if (isRepeat)
      llvm::append_range(reads, namesAt(place, "with"));
    bool isNeeded = llvm::any_of(writes, [&](const std::string &name) { return needed.contains(name); });
    if (isNeeded)
      needed.insert(reads.begin(), reads.end());
    if (isNeeded)
      ops.insert(i);
  }
  return ops;
}

bool GraphReader::isLanguageModel() const {
  return llvm::any_of(inputs, [](const Input &input) { return input.role == "tokens"; });
}

void GraphReader::writeSample() {
  if (!top.has("outputs") || !isLanguageModel() || !top.isOk())
    return;
  JsonReader outputs = top.at("outputs");
  for (size_t i = 0; i < outputs.size(); ++i)
    if (JsonReader output = outputs.at(i); output.text() != "logits")
      output.failRule("must be \"logits\", from which a run samples");
  Dimensions single(top.at("dims"), training, 1);
  std::string suffix = training.microBatch == 1 ? "" : ".sample";
  writeStep("sample", single, suffix, opsBefore(outputs), [&](ValueTable &values, OpBuilder &builder) {
    for (size_t i = 0; i < outputs.size() && outputs.isOk(); ++i)
      if (Value output = values.find(outputs.at(i)))
        graph::ReportOp::create(builder, builder.getUnknownLoc(), outputs.at(i).text(), output,
                                FlatSymbolRefAttr());
  });
}

OwningOpRef<ModuleOp> GraphReader::read() {
  if (JsonReader format = top.at("format"); format.isOk() && format.text() != kFormat)
    format.failRule("must be \"" + std::string(kFormat) + "\"");
  for (std::string_view key : {"name", "params", "ops", "loss", "outputs"})
    top.allow(key);
  readInputs();
  top.finish();
  if (top.isOk())
    readStates();
  if (top.isOk())
    settleIgnored();
  if (top.isOk())
    writeEvaluate();
  writeSample();
  if (training.dropout == Dropout::Off)
    graph::elideDropout(*module);
  Builder builder(&context);
  (*module)->setAttr(graph::kLayers, builder.getI64IntegerAttr(layers));
  (*module)->setAttr(graph::kDistinctLayers, builder.getI64IntegerAttr(distinctLayers.size()));
  if (dims.hasSequence())
    (*module)->setAttr(graph::kBindsSequence, builder.getUnitAttr());
  return std::move(module);
}

/// The first diagnostic of a check; empty if it passes.
std::string complaintOf(MLIRContext &context, llvm::function_ref<LogicalResult()> check) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  return succeeded(check()) ? "" : message;
}

/// Verifies the rules that need the whole module.
Status verifyModule(ModuleOp module) {
  MLIRContext &context = *module.getContext();
  if (std::string rule = complaintOf(context, [&] { return verify(module); }); !rule.empty())
    return Status::internal("the imported module is invalid: " + rule);
  auto evaluate = module.lookupSymbol<graph::StepOp>("evaluate");
  if (std::string rule = complaintOf(context, [&] { return graph::verifyStatistics(evaluate); });
      !rule.empty())
    return Status::badInput(rule);
  return Status::ok();
}

} // namespace

Result<OwningOpRef<ModuleOp>> buildGraph(MLIRContext &context, const nlohmann::json &document,
                                         const std::string &file, const std::string &config,
                                         const TrainingOptions &training) {
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Status failure;
  JsonReader top(document, file, failure);
  OwningOpRef<ModuleOp> module = GraphReader(context, top, training).read();
  std::filesystem::path path(file);
  std::string name = top.has("name") ? top.at("name").text() : path.stem().string();
  if (!failure)
    return failure;
  (*module)->setAttr(graph::kModelName, StringAttr::get(&context, name));
  (*module)->setAttr(graph::kModelConfig, StringAttr::get(&context, config));
  if (Status valid = verifyModule(*module); !valid)
    return valid.in(file);
  dropUnreadArguments(*module);
  return module;
}

Result<OwningOpRef<ModuleOp>> importGraphJson(MLIRContext &context, const std::string &path,
                                              const TrainingOptions &training) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  Result<nlohmann::json> document = JsonReader::parse(*text, path);
  if (!document)
    return document.status();
  if (document->is_object() && document->contains("model_type") && !document->contains("ops"))
    return Status::badInput(path + ": has \"model_type\", as a Hugging Face configuration: that is read as a "
                                   "file called config.json, or its folder");
  return buildGraph(context, *document, path, *text, training);
}

} // namespace windlass
