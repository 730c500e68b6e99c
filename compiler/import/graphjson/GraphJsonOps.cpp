// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/GraphJsonOps.h"

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass {
namespace {

const GraphJsonEntry *findEntry(JsonReader place) {
  SmallVector<const GraphJsonEntry *> entries = graphJsonEntries();
  SmallVector<std::string_view> names;
  for (const GraphJsonEntry *entry : entries)
    names.push_back(entry->name);
  size_t index = place.choice(names);
  return place.isOk() ? entries[index] : nullptr;
}

/// The number of inputs that an entry may have.
struct InputCount {
  size_t least = 0, most = 0;

  explicit InputCount(StringRef names) {
    SmallVector<StringRef> parts;
    names.split(parts, ", ", -1, /*KeepEmpty=*/false);
    for (StringRef name : parts) {
      least += !name.starts_with("[") && name != "...";
      most = name == "..." ? SIZE_MAX : most + 1;
    }
  }
  std::string text() const {
    if (most == SIZE_MAX)
      return "at least " + std::to_string(least);
    return (least < most ? std::to_string(least) + " to " : "") + std::to_string(most);
  }
};

/// Checks that the key "in" has as many names as the operation takes.
bool checkInputs(JsonReader &place, const GraphJsonEntry &entry) {
  InputCount count(StringRef(entry.inputs.data(), entry.inputs.size()));
  size_t found = count.most > 0 ? place.at("in").size() : 0;
  if (place.isOk() && (found < count.least || found > count.most))
    place.at("in").fail("must be " + count.text() + " names (" + std::string(entry.inputs) + "), is " +
                        std::to_string(found));
  return place.isOk();
}

/// Whether a result has a size that a machine could hold: small files can ask for huge broadcasts and pads.
bool isReasonable(ArrayRef<int64_t> shape) {
  constexpr int64_t kMostElements = INT64_C(1) << 42;
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > kMostElements / elements)
      return false;
    elements *= extent;
  }
  return true;
}

/// The place of an operation in the document, and the name of its result.
Location locationOf(JsonReader place, OpBuilder &builder) {
  std::string out;
  if (place.has("out") && (place.at("out").isText() || place.at("out").isList()))
    for (const std::string &name : namesAt(place, "out"))
      out += (out.empty() ? "" : ", ") + name;
  return NameLoc::get(builder.getStringAttr(place.place()), NameLoc::get(builder.getStringAttr(out)));
}

} // namespace

SmallVector<const GraphJsonEntry *> graphJsonEntries() {
  SmallVector<const GraphJsonEntry *> entries;
  for (ArrayRef<GraphJsonEntry> table :
       {layerOps(), lossOps(), attentionOps(), convolutionOps(), poolingOps(), shapeOps(), elementwiseOps()})
    for (const GraphJsonEntry &entry : table)
      entries.push_back(&entry);
  return entries;
}

void buildOp(JsonReader place, const Dimensions &dims, ValueTable &values, OpBuilder &builder) {
  const GraphJsonEntry *entry = findEntry(place.at("op"));
  if (!entry || !checkInputs(place, *entry))
    return;
  GraphJsonOp op{place, dims, builder, locationOf(place, builder), {}};
  for (size_t i = 0, count = entry->inputs.empty() ? 0 : place.at("in").size(); place.isOk() && i < count;
       ++i)
    op.in.push_back(values.find(place.at("in").at(i)));
  JsonReader out = place.at("out");
  if (!place.isOk())
    return;
  Values results = entry->build(op);
  place.finish();
  if (place.isOk() && out.isList() && out.size() != results.size())
    out.fail("must be " + std::to_string(results.size()) + " names, is " + std::to_string(out.size()));
  for (Value result : results)
    if (place.isOk() && !isReasonable(graph::typeOf(result).getShape()))
      out.fail("must have at most 2^42 elements, is " + formatShape(graph::typeOf(result).getShape()));
  for (size_t i = 0; place.isOk() && i < results.size(); ++i)
    values.define(out.isList() ? out.at(i) : out, results[i]);
}

SmallVector<std::string> namesAt(JsonReader place, std::string_view key) {
  SmallVector<std::string> names;
  if (!place.has(key))
    return names;
  JsonReader value = place.at(key);
  for (size_t i = 0; i < (value.isList() ? value.size() : 1) && value.isOk(); ++i)
    names.push_back(value.isList() ? value.at(i).text() : value.text());
  return names;
}

Value buildSum(OpBuilder &builder, Location loc, Value tensor) {
  RankedTensorType type = graph::typeOf(tensor);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (dims.empty())
    return tensor;
  return graph::buildReduce(builder, loc, graph::Combine::Sum, dims, tensor,
                            graph::identityMap(builder.getContext(), type.getRank()),
                            graph::tensorType({}, builder.getF32Type()),
                            [](const graph::Scalars &s, ValueRange x) { return x[0]; });
}

std::string graphJsonOpTable() {
  std::string table = "| op | in | keys (default) | result |\n| --- | --- | --- | --- |\n";
  for (const GraphJsonEntry *entry : graphJsonEntries())
    table += "| `" + std::string(entry->name) + "` | " + std::string(entry->inputs) + " | " +
             std::string(entry->keys) + " | " + std::string(entry->meaning) + " |\n";
  return table;
}

} // namespace windlass
