// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJsonStates.h"

#include "compiler/import/weights/Weights.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include <filesystem>

using namespace mlir;

namespace windlass {
namespace {

constexpr std::string_view kIndex = "{i}";

/// {"file": "model.safetensors", "tensor": "h.{i}.weight", "transposed": false}
Parameter::Source readSource(JsonReader place) {
  Parameter::Source source = {place.at("file").text(), "", false};
  std::filesystem::path path(source.file);
  bool leaves = path.is_absolute() || llvm::is_contained(path, "..");
  if (place.isOk() && (source.file.empty() || leaves))
    place.at("file").failRule("must name a file in the model's folder");
  if (place.has("tensor"))
    source.tensor = place.at("tensor").text();
  if (place.has("transposed"))
    source.transposed = place.at("transposed").boolean();
  place.finish();
  return source;
}

/// A number fills the tensor; {"normal": deviation} draws from N(0, deviation).
graph::InitAttr readInit(JsonReader place, OpBuilder &builder) {
  constexpr double kLargest = 1e6;
  double mean = 0, deviation = 0;
  bool isNormal = place.isObject();
  if (isNormal) {
    deviation = place.at("normal").number(0, kLargest);
    place.finish();
  } else {
    mean = place.number(-kLargest, kLargest);
  }
  return graph::InitAttr::get(builder.getContext(), isNormal, builder.getF64FloatAttr(mean),
                              builder.getF64FloatAttr(deviation), graph::SourceAttr());
}

Parameter readParameter(JsonReader place, const std::string &name, const Dimensions &dims,
                        OpBuilder &builder) {
  constexpr std::string_view groups[] = {graph::kDecayGroup, graph::kNoDecayGroup, graph::kFrozenGroup,
                                         graph::kStatisticsGroup};
  Shape shape = dims.shape(place.at("shape"), /*leastRank=*/0);
  const bool isNumber = shape.empty();
  if (isNumber)
    shape = {1};
  std::string group = graph::groupOfRank(static_cast<int64_t>(shape.size())).str();
  if (place.has("group"))
    group = groups[place.at("group").choice(groups)];
  Parameter::Source source = place.has("source") ? readSource(place.at("source")) : Parameter::Source();
  bool isStored = !source.file.empty() && !place.has("init");
  graph::InitAttr init = isStored ? graph::InitAttr() : readInit(place.at("init"), builder);
  place.finish();
  if (name.empty() || name.size() > 200)
    place.fail("a name must have 1 to 200 letters, has " + std::to_string(name.size()));
  return {name,   place.isOk() ? graph::tensorType(shape, builder.getF32Type()) : RankedTensorType(),
          init,   group,
          source, isNumber};
}

} // namespace

std::string instanceOf(std::string pattern, int64_t i) {
  if (size_t at = pattern.find(kIndex); at != std::string::npos)
    pattern.replace(at, kIndex.size(), std::to_string(i));
  return pattern;
}

std::vector<Parameter> readParameters(JsonReader &owner, const Dimensions &dims, MLIRContext *context) {
  std::vector<Parameter> parameters;
  OpBuilder builder(context);
  if (!owner.has("params"))
    return parameters;
  JsonReader place = owner.at("params");
  for (const std::string &name : place.keys())
    parameters.push_back(readParameter(place.at(name), name, dims, builder));
  return parameters;
}

void StateWriter::add(JsonReader place, const Parameter &parameter, const std::string &name,
                      const std::string &layer, int64_t repetition) {
  if (!taken.insert(name).second)
    place.fail("the name \"" + name + "\" is taken");
  if (parameter.source.transposed && place.isOk() && parameter.type.getRank() != 2)
    place.fail("\"" + name + "\": only a matrix can be \"transposed\"");
  if (!place.isOk())
    return;
  MLIRContext *context = builder.getContext();
  FloatAttr zero = builder.getF64FloatAttr(0);
  graph::InitAttr init =
      parameter.init ? parameter.init : graph::InitAttr::get(context, false, zero, zero, graph::SourceAttr());
  if (const Parameter::Source &source = parameter.source; !source.file.empty())
    init = withSource(init,
                      unresolvedSource(context, source.file,
                                       source.tensor.empty() ? name : instanceOf(source.tensor, repetition),
                                       source.transposed));
  auto state = graph::StateOp::create(
      builder, builder.getUnknownLoc(), builder.getStringAttr(name), TypeAttr::get(parameter.type),
      graph::RoleAttr::get(context, graph::Role::Parameter), init, builder.getStringAttr(name),
      builder.getStringAttr(parameter.group), FlatSymbolRefAttr(), graph::SliceAttr(), FloatAttr(),
      builder.getStringAttr(layer));
  if (parameter.isNumber)
    state->setAttr(graph::kNumber, builder.getUnitAttr());
  if (!parameter.init)
    state->setAttr(kNoInitialiser, builder.getUnitAttr());
}

} // namespace windlass
