// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/Reader.h"

#include "compiler/import/onnx/file/Inline.h"
#include "compiler/import/onnx/file/Onnx.pb.h"
#include "compiler/import/onnx/file/ReadTensor.h"
#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Names.h"
#include "runtime/base/File.h"
#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <limits>
#include <set>

namespace windlass::onnx {
namespace {

constexpr int64_t kOldestOpset = 13, kNewestOpset = 23, kOldestIr = 3, kNewestIr = 11;

/// The advice for a file of another operator set. ONNX's own tool converts older operator sets to newer ones;
/// the reverse hardly works.
std::string wayToConvert(int64_t opset) {
  return opset < kOldestOpset ? ", or convert the file: onnx.version_converter.convert_version(model, " +
                                    std::to_string(kOldestOpset) + ")"
                              : "";
}

/// Builds the Graph of one parsed model. The first error is the result.
class GraphBuilder {
public:
  /// `places`: empty for a model that is only in memory.
  GraphBuilder(wire::Model &model, const TensorPlaces &places, const std::string &path)
      : model(model), places(places) {
    graph.file = path;
  }

  Result<Graph> build() {
    WINDLASS_TRY(checkVersions());
    WINDLASS_TRY(inlineFunctions(model));
    readSignature();
    WINDLASS_TRY(readInitializers());
    WINDLASS_TRY(readInputs());
    WINDLASS_TRY(readNodes());
    WINDLASS_TRY(readOutputs());
    return std::move(graph);
  }

private:
  Status checkVersions();
  Status readInitializers();
  Status readInputs();
  Status readNodes();
  void readSignature();
  Status readNode(const wire::Node &source);
  Status readAttribute(const wire::Attribute &source, Node &node);
  Status readOutputs();
  Status define(const std::string &name, Value value, ValueId &id);
  Status defineWeight(const std::string &name, Weight weight);
  bool holdsComputed(const wire::Node &node) const;
  Status readComputed(const wire::Node &node);
  Result<ValueId> use(const std::string &name) const;
  const std::string *mark(const std::string &name, std::string_view key) const;
  bool isModule(const std::string &name) const;
  std::string inContainer(const std::string &scope) const;
  Mark kindOf(const std::string &name) const;
  void readFolding(const std::string &name, Weight &weight) const;

  wire::Model &model;
  const TensorPlaces &places;
  Graph graph;
  std::map<std::string, ValueId, std::less<>> names;
  std::map<std::string, const wire::Value *, std::less<>>
      infos; ///< the file's types and shapes of values, by name
};

Status GraphBuilder::checkVersions() {
  if (!model.has_graph())
    return Status::badInput("must be an ONNX model, and holds no graph");
  if (model.ir_version() < kOldestIr || model.ir_version() > kNewestIr)
    return Status::badInput("IR version must be from " + std::to_string(kOldestIr) + " to " +
                            std::to_string(kNewestIr) + ", is " + std::to_string(model.ir_version()));
  for (const wire::OperatorSet &set : model.opset_import())
    if (isStandard(set.domain()))
      graph.opset = set.version();
  if (graph.opset < kOldestOpset || graph.opset > kNewestOpset)
    return Status::badInput("operator set must be from " + std::to_string(kOldestOpset) + " to " +
                            std::to_string(kNewestOpset) + ", is " + std::to_string(graph.opset) +
                            "; export with an opset_version in that range" + wayToConvert(graph.opset));
  for (const wire::Function &function : model.functions())
    for (const wire::OperatorSet &set : function.opset_import())
      if (isStandard(set.domain()) && set.version() != graph.opset)
        return Status::badInput("function \"" + function.name() + "\": operator set must be the model's, " +
                                std::to_string(graph.opset) + ", is " + std::to_string(set.version()));
  if (!model.training_info().empty())
    return Status::badInput(
        "holds ONNX training information, which is not read; Windlass derives gradients and "
        "updates itself: export the forward model");
  if (!model.graph().sparse_initializer().empty())
    return Status::badInput("sparse initializers are not supported");
  graph.name = model.graph().name();
  return Status::ok();
}

/// Checks a text that becomes part of names in the document.
Status checkText(const std::string &what, const std::string &text) {
  const std::string shown = readable(text);
  return shown == text ? Status::ok() : Status::badInput(what + " must be UTF-8, is \"" + shown + "\"");
}

Status GraphBuilder::define(const std::string &name, Value value, ValueId &id) {
  constexpr size_t kLongest = 1000;
  if (name.empty() || name.size() > kLongest)
    return Status::badInput("a value's name must have 1 to " + std::to_string(kLongest) + " letters, has " +
                            std::to_string(name.size()));
  WINDLASS_TRY(checkText("a value's name", name));
  value.name = name;
  id = graph.add(std::move(value));
  if (!names.emplace(name, id).second)
    return Status::badInput("the name \"" + name + "\" is given to two values");
  return Status::ok();
}

Result<ValueId> GraphBuilder::use(const std::string &name) const {
  if (name.empty())
    return kAbsent;
  if (auto found = names.find(name); found != names.end())
    return found->second;
  return Status::badInput("reads \"" + name +
                          "\", which is no input, no initializer and no result of an earlier node");
}

const std::string *GraphBuilder::mark(const std::string &name, std::string_view key) const {
  auto info = infos.find(name);
  if (info != infos.end())
    for (const wire::Entry &entry : info->second->metadata_props())
      if (entry.key() == key)
        return &entry.value();
  return nullptr;
}

Mark GraphBuilder::kindOf(const std::string &name) const {
  const std::string *kind = mark(name, "pkg.torch.export.graph_signature.InputSpec.kind");
  if (!kind)
    return Mark::None;
  if (kind->find("PARAMETER") != std::string::npos)
    return Mark::Parameter;
  return kind->find("BUFFER") != std::string::npos ? Mark::Buffer : Mark::Constant;
}

/// Reads from the exporter's list of folded values the parameter that a weight was computed from:
/// "transformer.wpe.weight" of "['add', 'arange', 'transformer.wpe.weight', 'val_10']".
void GraphBuilder::readFolding(const std::string &name, Weight &weight) const {
  const std::string *list = mark(name, "pkg.onnxscript.optimizer.folded_from");
  const std::vector<std::string> items = list ? quotedItems(*list) : std::vector<std::string>();
  auto isListed = [&](const std::string &item) {
    return std::ranges::count(graph.moduleParameters, item) > 0;
  };
  auto isOfModule = [&](const std::string &item) {
    return isListed(item) || (!isGenerated(item) && item.find('.') != std::string::npos) ||
           std::ranges::any_of(graph.tracedBuffers,
                               [&](const auto &buffer) { return buffer.second == item; });
  };
  auto isBuffer = [&](const std::string &item) {
    return graph.moduleParameters.empty() ? isBufferName(item) : !isListed(item);
  };
  std::string source;
  for (const std::string &item : items)
    if (isOfModule(item)) {
      if (!source.empty() && !isBuffer(source) && !isBuffer(item)) {
        weight.mixedFrom = isListed(source) && isListed(item) ? readable(source + " and " + item) : "";
        return;
      }
      source = source.empty() || isBuffer(source) ? item : source;
    }
  weight.foldedFrom = readable(source);
  weight.isFoldedWithOthers = !source.empty() && items.size() > 1;
  std::ranges::copy_if(items, std::back_inserter(weight.foldedThrough),
                       [&](const std::string &item) { return item != source; });
  if (!source.empty())
    weight.foldedThrough.push_back(name);
}

Status GraphBuilder::readInitializers() {
  for (const auto *list : {&model.graph().value_info(), &model.graph().input(), &model.graph().output()})
    for (const wire::Value &info : *list)
      infos[info.name()] = &info;
  for (int i = 0; i < model.graph().initializer_size(); ++i) {
    wire::Tensor &source = *model.mutable_graph()->mutable_initializer(i);
    Result<Tensor> tensor = readTensor(source, graph.file,
                                       static_cast<size_t>(i) < places.initializers.size()
                                           ? &places.initializers[static_cast<size_t>(i)]
                                           : nullptr);
    if (!tensor)
      return tensor.status();
    Weight weight;
    weight.tensor = tensor.take();
    weight.mark = kindOf(source.name());
    readFolding(source.name(), weight);
    WINDLASS_TRY(defineWeight(source.name(), std::move(weight)));
  }
  return Status::ok();
}

Status GraphBuilder::defineWeight(const std::string &name, Weight weight) {
  Value value;
  value.type = weight.tensor.type;
  value.shape = weight.tensor.shape;
  value.weight = std::make_shared<Weight>(std::move(weight));
  ValueId id = kAbsent;
  return define(name, std::move(value), id);
}

/// Whether a tool that rewrites files computed the tensor that a node holds: the result then still has the
/// name of the replaced value. PyTorch's exporters give their own constants names with "constant".
bool GraphBuilder::holdsComputed(const wire::Node &node) const {
  if (node.op_type() != "Constant" || node.input_size() != 0 || node.output_size() != 1 ||
      node.attribute_size() != 1 || model.producer_name() != "pytorch" || !graph.moduleParameters.empty())
    return false;
  const wire::Tensor &tensor = node.attribute(0).t();
  const std::string &result = node.output(0);
  const bool isExporters = node.name().starts_with("node_") || result.starts_with("onnx::") ||
                           result.find("Constant") != std::string::npos;
  return !isExporters && isDataType(tensor.data_type()) &&
         isFloat(static_cast<DataType>(tensor.data_type())) && !tensor.dims().empty();
}

Status GraphBuilder::readComputed(const wire::Node &node) {
  wire::Tensor source = node.attribute(0).t();
  const auto place = places.results.find(node.output(0));
  Result<Tensor> tensor =
      readTensor(source, graph.file, place == places.results.end() ? nullptr : &place->second);
  if (!tensor)
    return tensor.status();
  Weight weight;
  weight.tensor = tensor.take();
  weight.isOfNode = true;
  return defineWeight(node.output(0), std::move(weight));
}

Status GraphBuilder::readInputs() {
  for (const wire::Value &source : model.graph().input()) {
    if (names.contains(source.name())) // an initializer that is also listed as an input, as in old files
      continue;
    const std::string place = "input \"" + source.name() + "\"";
    const wire::Type::Tensor &type = source.type().tensor_type();
    if (!source.type().has_tensor_type() || !isDataType(type.elem_type()) || !type.has_shape())
      return Status::badInput(place + ": must be a tensor of a known type and rank");
    Input input;
    Shape sizes;
    for (const wire::Shape::Dimension &dim : type.shape().dim()) {
      if (dim.has_dim_value())
        input.dims.emplace_back(std::in_place_type<int64_t>, dim.dim_value());
      else
        input.dims.emplace_back(std::in_place_type<std::string>, dim.dim_param());
      sizes.push_back(dim.has_dim_value() ? dim.dim_value() : 1);
    }
    if (Status valid = checkShape(sizes); !valid)
      return valid.in(place);
    Value value;
    value.type = static_cast<DataType>(type.elem_type());
    WINDLASS_TRY(define(source.name(), std::move(value), input.value));
    graph.inputs.push_back(std::move(input));
  }
  return Status::ok();
}

Status GraphBuilder::readAttribute(const wire::Attribute &source, Node &node) {
  enum Kind { Real = 1, Integer = 2, Text = 3, OneTensor = 4, Reals = 6, Integers = 7 };
  Attribute &attribute = node.attributes[source.name()];
  switch (source.type()) {
  case Real:
    attribute = static_cast<double>(source.f());
    break;
  case Integer:
    attribute = source.i();
    break;
  case Text:
    attribute = source.s();
    break;
  case Reals:
    attribute = std::vector<double>(source.floats().begin(), source.floats().end());
    break;
  case Integers:
    attribute = std::vector<int64_t>(source.ints().begin(), source.ints().end());
    break;
  case OneTensor: {
    wire::Tensor copy = source.t();
    Result<Tensor> tensor = readTensor(copy, graph.file);
    if (!tensor)
      return tensor.status().in("attribute \"" + source.name() + "\"");
    attribute = std::shared_ptr<const Tensor>(std::make_shared<Tensor>(tensor.take()));
    break;
  }
  default:
    attribute = std::monostate();
  }
  return Status::ok();
}

/// Whether the name of anything read so far begins with a module of this name.
bool GraphBuilder::isModule(const std::string &name) const {
  auto first = names.lower_bound(name + ".");
  return first != names.end() && first->first.starts_with(name + ".");
}

/// The scope with its container, if names of initializers show one: "transformer.h.0.attn" for "h.0.attn".
/// The paths of TorchScript's exporter lack containers whose forward is never called (ModuleDict).
std::string GraphBuilder::inContainer(const std::string &scope) const {
  for (std::string part = scope; !part.empty() && !isModule(part); part = scopeOfName(part)) {
    std::set<std::string> containers;
    for (const wire::Tensor &tensor : model.graph().initializer())
      if (const size_t at = tensor.name().find("." + part + "."); at != std::string::npos)
        containers.insert(tensor.name().substr(0, at));
    if (!containers.empty())
      return containers.size() == 1 ? *containers.begin() + "." + scope : scope;
  }
  return scope;
}

Status GraphBuilder::readNode(const wire::Node &source) {
  if (holdsComputed(source))
    return readComputed(source);
  auto owned = std::make_unique<Node>();
  Node &node = *owned;
  node.op = source.op_type();
  node.domain = isStandard(source.domain()) ? "" : source.domain();
  node.name = source.name();
  node.scope = scopeOf(source);
  if (hasPath(source)) {
    const std::string path =
        scopeOfCalls(source.name(), [&](const std::string &name) { return isModule(name); });
    node.scope = inContainer(path);
    graph.numbersCalls = true;
    graph.hidesModules |= node.scope != path;
  }
  for (const wire::Entry &entry : source.metadata_props())
    if (entry.key() == "pkg.torch.onnx.fx_node")
      node.call = torchCallOf(entry.value());
    else if (entry.key() == "pkg.torch.onnx.stack_trace")
      node.detachingLine = readable(lineCalling(entry.value(), ".detach()"));
    else if (entry.key() == "pkg.onnxscript.rewriter.rule_name")
      node.holdsBatchNorm |= entry.value().starts_with("FuseBatchNormInto");
  WINDLASS_TRY(checkText("its scope", node.scope));
  for (const std::string &name : source.input()) {
    Result<ValueId> id = use(name);
    if (!id)
      return id.status();
    node.inputs.push_back(*id);
  }
  for (const wire::Attribute &attribute : source.attribute())
    WINDLASS_TRY(readAttribute(attribute, node));
  for (const std::string &name : source.output()) {
    node.outputs.push_back(kAbsent);
    if (name.empty())
      continue;
    Value value;
    value.producer = &node;
    WINDLASS_TRY(define(name, std::move(value), node.outputs.back()));
  }
  while (!node.outputs.empty() && node.outputs.back() == kAbsent)
    node.outputs.pop_back();
  graph.nodes.push_back(std::move(owned));
  return Status::ok();
}

/// Reads the lines of a signature, "p_fc_bias: PARAMETER target='fc.bias'": pairs of the name in calls and
/// the name in the module.
std::vector<std::pair<std::string, std::string>> listed(const std::string &signature,
                                                        const std::string &kind) {
  const std::string word = ": " + kind + " target='";
  std::vector<std::pair<std::string, std::string>> names;
  for (size_t at = signature.find(word); at != std::string::npos; at = signature.find(word, at)) {
    const size_t begin = signature.find_last_of(" \n", at) + 1; // npos + 1 is the first letter
    const std::string traced = signature.substr(begin, at - begin);
    at += word.size();
    names.emplace_back(traced, signature.substr(at, signature.find('\'', at) - at));
  }
  return names;
}

void GraphBuilder::readSignature() {
  graph.isSimplified = std::ranges::any_of(
      model.metadata_props(), [](const wire::Entry &entry) { return entry.key().starts_with("onnxsim."); });
  for (const wire::Entry &entry : model.graph().metadata_props()) {
    if (entry.key() != "pkg.torch.export.ExportedProgram.graph_signature")
      continue;
    for (const auto &[traced, name] : listed(entry.value(), "PARAMETER")) {
      graph.moduleParameters.push_back(name);
      graph.tracedParameters[traced] = name;
    }
    for (const char *kind : {"BUFFER", "CONSTANT_TENSOR"})
      for (const auto &[traced, name] : listed(entry.value(), kind))
        graph.tracedBuffers[traced] = name;
  }
}

Status GraphBuilder::readNodes() {
  if (model.graph().node_size() > kMostNodes)
    return Status::badInput("must have at most " + std::to_string(kMostNodes) + " nodes, has " +
                            std::to_string(model.graph().node_size()));
  for (const wire::Node &source : model.graph().node())
    if (Status read = readNode(source); !read)
      return read.in("node \"" + source.name() + "\" (" + source.op_type() + ")");
  return Status::ok();
}

Status GraphBuilder::readOutputs() {
  for (const wire::Value &source : model.graph().output()) {
    Result<ValueId> id = use(source.name());
    if (!id || *id == kAbsent)
      return Status::badInput("output \"" + source.name() + "\": is the result of no node");
    graph.outputs.push_back(*id);
    const std::string *kind = mark(source.name(), "pkg.torch.export.graph_signature.OutputSpec.kind");
    if (kind && kind->find("LOSS") != std::string::npos)
      graph.lossOutputs.push_back(*id);
  }
  return Status::ok();
}

Result<Graph> parse(std::string_view bytes, const std::string &path, bool isFile) {
  constexpr int kDeepest = 64; ///< messages within messages
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kDeepest);
  wire::Model model;
  if (bytes.empty() || !model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return Status::badInput(path + ": must be an ONNX file, and is damaged or something else (" +
                            std::to_string(bytes.size()) + " bytes)");
  const TensorPlaces places = isFile ? placesOfTensors(bytes) : TensorPlaces();
  Result<Graph> graph = GraphBuilder(model, places, path).build();
  return graph ? std::move(graph) : Result<Graph>(graph.status().in(path));
}

} // namespace

std::string describe(const Graph &graph, const Node &node) {
  std::string name = node.name;
  if (name.empty() && !node.outputs.empty() && node.outputs[0] != kAbsent)
    name = graph.at(node.outputs[0]).name;
  return "node \"" + name + "\" (" + (node.domain.empty() ? "" : node.domain + ".") + node.op + ")";
}

std::string placeOf(const Graph &graph, const Node &node) {
  return describe(graph, node) + (node.scope.empty() ? "" : " in " + node.scope);
}

Result<Graph> parseOnnx(std::string_view bytes, const std::string &path) {
  return parse(bytes, path, /*isFile=*/false);
}

Result<Graph> readOnnx(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  if (bytes->size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return Status::badInput(path + ": must be at most 2 GiB, with larger weights in an external file, has " +
                            std::to_string(bytes->size()) + " bytes");
  return parse(*bytes, path, /*isFile=*/true);
}

} // namespace windlass::onnx
