#include "compiler/import/GraphJsonStates.h"

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass {
namespace {

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
                              builder.getF64FloatAttr(deviation));
}

Parameter readParameter(JsonReader place, const std::string &name, const Dimensions &dims,
                        OpBuilder &builder) {
  constexpr std::string_view groups[] = {"decay", "no_decay"};
  Shape shape = dims.shape(place.at("shape"));
  size_t group = shape.size() >= 2 ? 0 : 1;
  if (place.has("group"))
    group = place.at("group").choice(groups);
  graph::InitAttr init = readInit(place.at("init"), builder);
  place.finish();
  if (name.empty() || name.size() > 200)
    place.fail("a name must have 1 to 200 letters, has " + std::to_string(name.size()));
  return {name, place.isOk() ? graph::tensorType(shape, builder.getF32Type()) : RankedTensorType(), init,
          std::string(groups[group])};
}

} // namespace

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
                      const std::string &layer) {
  if (!taken.insert(name).second)
    place.fail("the name \"" + name + "\" is taken");
  if (!place.isOk())
    return;
  MLIRContext *context = builder.getContext();
  graph::StateOp::create(builder, builder.getUnknownLoc(), builder.getStringAttr(name),
                         TypeAttr::get(parameter.type), graph::RoleAttr::get(context, graph::Role::Parameter),
                         parameter.init, builder.getStringAttr(name), builder.getStringAttr(parameter.group),
                         FlatSymbolRefAttr(), graph::SliceAttr(), builder.getStringAttr(layer));
}

} // namespace windlass
