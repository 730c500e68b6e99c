// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJsonBlocks.h"

#include "compiler/import/graphjson/GraphJsonOps.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass {

constexpr int64_t kMostLayers = 1 << 16;

namespace {

/// A value that a block takes. It must be no parameter, since parameters belong to the layers that read them,
/// and no copy of a parameter, since copies are removed.
Value taken(JsonReader place, ValueTable &values) {
  Value found = values.find(place), value = found;
  for (Operation *op = found ? found.getDefiningOp() : nullptr; op; op = value.getDefiningOp()) {
    SmallVector<OpFoldResult> folded;
    if (isa<graph::ReadOp>(op))
      place.failRule("must be a value that an operation computes, and no parameter");
    if (failed(op->fold(folded)) || folded.size() != 1 || !isa<Value>(folded[0]))
      break;
    value = cast<Value>(folded[0]);
  }
  return found;
}

} // namespace

Repeat::Repeat(JsonReader opPlace, const Dimensions &dims) : place(std::move(opPlace)) {
  if (place.has("repeat"))
    count = dims.size(place.at("repeat"));
  if (place.has("first"))
    first = place.at("first").integer(0, kMostLayers);
  block = place.at("block").text();
  name = place.at("name").text();
  prefix = place.has("prefix") ? place.at("prefix").text() : name;
  place.allow("carry");
  place.allow("with");
  place.finish();
  if (count > kMostLayers)
    place.at("repeat").failRule("must be at most " + std::to_string(kMostLayers));
  for (const auto &[key, pattern] : {std::pair("name", &name), std::pair("prefix", &prefix)})
    if (place.isOk() && (pattern->empty() || (count > 1 && instanceOf(*pattern, 0) == *pattern)))
      place.at("name").fail(std::string(key) +
                            " must hold \"{i}\", which becomes the number of the repetition");
}

Blocks::Blocks(JsonReader &top, const Dimensions &dims, MLIRContext *context) {
  if (!top.has("blocks"))
    return;
  JsonReader place = top.at("blocks");
  for (const std::string &name : place.keys()) {
    JsonReader block = place.at(name);
    std::vector<Parameter> parameters = readParameters(block, dims, context);
    for (std::string_view key : {"in", "ops", "out"})
      block.at(key).size();
    block.finish();
    blocks.emplace(name, Block{block, std::move(parameters)});
  }
}

std::vector<std::string> Blocks::names() const {
  std::vector<std::string> names;
  for (const auto &[name, block] : blocks)
    names.push_back(name);
  return names;
}

Blocks::Block *Blocks::find(const Repeat &repeat) {
  auto found = blocks.find(repeat.block);
  if (found != blocks.end())
    return &found->second;
  JsonReader(repeat.place).at("block").failRule("must be one of \"blocks\"");
  return nullptr;
}

void Blocks::addStates(const Repeat &repeat, StateWriter &states) {
  Block *block = find(repeat);
  for (int64_t i = 0; block && i < repeat.count && repeat.place.isOk(); ++i)
    for (const Parameter &parameter : block->parameters)
      states.add(repeat.place, parameter, repeat.parameter(i, parameter.name), repeat.layer(i),
                 repeat.first + i);
}

SmallVector<Value> Blocks::fillBody(Block &block, mlir::Block &body, const Dimensions &dims,
                                    OpBuilder &builder) {
  ValueTable values;
  JsonReader in = block.place.at("in"), ops = block.place.at("ops"), out = block.place.at("out");
  for (size_t i = 0; i < in.size(); ++i)
    values.define(in.at(i), body.getArgument(i));
  for (auto [i, parameter] : llvm::enumerate(block.parameters))
    if (llvm::is_contained(namesAt(block.place, "in"), parameter.name))
      block.place.at("params").at(parameter.name).fail("is the name of an input of the block, too");
  for (auto [i, parameter] : llvm::enumerate(block.parameters))
    values.redefine(parameter.name, body.getArgument(in.size() + i));
  for (size_t i = 0; i < ops.size() && ops.isOk(); ++i)
    buildOp(ops.at(i), dims, values, builder);
  SmallVector<Value> results;
  for (size_t i = 0; i < out.size() && ops.isOk(); ++i)
    results.push_back(values.find(out.at(i)));
  for (auto [i, parameter] : llvm::enumerate(block.parameters))
    if (ops.isOk() && body.getArgument(in.size() + i).use_empty())
      block.place.at("params").at(parameter.name).fail("is never used");
  return results;
}

func::FuncOp Blocks::function(Block &block, const std::string &name, ArrayRef<Value> carried,
                              const Dimensions &dims, ModuleOp module) {
  SmallVector<Type> arguments = llvm::to_vector(ValueRange(carried).getTypes());
  if (auto known = module.lookupSymbol<func::FuncOp>(name)) {
    if (known.getArgumentTypes().take_front(carried.size()) != ArrayRef<Type>(arguments))
      block.place.fail("is called with values of different shapes");
    return known;
  }
  for (const Parameter &parameter : block.parameters)
    arguments.push_back(parameter.type);
  OpBuilder builder(module.getContext());
  builder.setInsertionPoint(module.getBody(), llvm::find_if(*module.getBody(), llvm::IsaPred<graph::StepOp>));
  auto function = func::FuncOp::create(builder, NameLoc::get(builder.getStringAttr(block.place.place())),
                                       name, builder.getFunctionType(arguments, {}));
  function.setPrivate();
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> results = fillBody(block, *body, dims, builder);
  if (!block.place.isOk())
    return {};
  function.setType(builder.getFunctionType(arguments, ValueRange(results).getTypes()));
  func::ReturnOp::create(builder, function.getLoc(), results);
  return function;
}

/// Checks that the block returns as many values as are carried, and takes these and the values of "with",
/// which are the same for every repetition.
void Blocks::checkCarried(const Repeat &repeat, Block &block) {
  JsonReader place = repeat.place, carry = place.at("carry");
  size_t with = place.has("with") ? place.at("with").size() : 0;
  if (carry.size() + with == block.place.at("in").size() && carry.size() == block.place.at("out").size())
    return;
  carry.fail(with == 0 ? "must be as many values as \"in\" and \"out\" of \"" + repeat.block + "\""
                       : "must be as many values as \"out\" of \"" + repeat.block +
                             "\", and together with \"with\" as many as its \"in\"");
}

void Blocks::call(const Repeat &repeat, const Dimensions &dims, const std::string &suffix, ValueTable &values,
                  OpBuilder &builder, ModuleOp module) {
  Block *block = find(repeat);
  JsonReader place = repeat.place, carry = place.at("carry");
  if (block)
    checkCarried(repeat, *block);
  for (int64_t i = 0; i < repeat.count && place.isOk(); ++i) {
    SmallVector<Value> operands;
    for (size_t c = 0; c < carry.size() && carry.isOk(); ++c)
      operands.push_back(taken(carry.at(c), values));
    for (size_t c = 0; place.has("with") && c < place.at("with").size() && place.isOk(); ++c)
      operands.push_back(taken(place.at("with").at(c), values));
    func::FuncOp callee =
        place.isOk() ? function(*block, repeat.block + suffix, operands, dims, module) : nullptr;
    if (!place.isOk())
      return;
    std::string layer = repeat.layer(i);
    Location loc = NameLoc::get(builder.getStringAttr(layer));
    for (const Parameter &parameter : block->parameters)
      operands.push_back(
          graph::ReadOp::create(builder, loc, parameter.type, repeat.parameter(i, parameter.name))
              .getResult());
    auto call = func::CallOp::create(builder, loc, callee, operands);
    call->setAttr(graph::kLayer, builder.getStringAttr(layer));
    for (size_t c = 0; c < carry.size(); ++c)
      values.redefine(carry.at(c).text(), call.getResult(c));
  }
}

} // namespace windlass
