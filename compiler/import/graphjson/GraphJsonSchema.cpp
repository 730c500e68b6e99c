// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON Schema of a model file: the document as a constant, its operations from their tables.
#include "compiler/import/graphjson/GraphJsonOp.h"
#include "compiler/import/graphjson/GraphJsonOps.h"

namespace windlass {
namespace {

/// The schema without the operations.
constexpr const char *kDocument = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "windlass.model/1",
  "description": "A model as a graph: docs/models.md.",
  "type": "object",
  "required": ["format", "dims", "inputs", "ops", "loss"],
  "additionalProperties": false,
  "properties": {
    "format": {"const": "windlass.model/1"},
    "name": {"type": "string", "description": "name for people; default: the file's name"},
    "dims": {
      "type": "object",
      "description": "named sizes",
      "additionalProperties": {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["batch", "sequence"]}]}
    },
    "inputs": {
      "type": "object",
      "description": "tensors of each micro-batch",
      "additionalProperties": {
        "type": "object",
        "required": ["role", "shape"],
        "additionalProperties": false,
        "properties": {
          "role": {"enum": ["tokens", "labels", "classes", "other_labels", "features", "targets"]},
          "shape": {"$ref": "#/$defs/shape"},
          "bound": {"$ref": "#/$defs/size", "description": "integers are less than this"},
          "ignored": {"type": "integer", "description": "of labels and classes: the value that is not counted (that of their cross-entropies, or -100)"},
          "first": {"type": "integer", "minimum": 0, "description": "of labels: the index in an example before which labels are not counted (0)"}
        }
      }
    },
    "params": {"$ref": "#/$defs/params"},
    "blocks": {
      "type": "object",
      "description": "functions that ops may repeat",
      "additionalProperties": {
        "type": "object",
        "required": ["in", "ops", "out"],
        "additionalProperties": false,
        "properties": {
          "in": {"$ref": "#/$defs/names"},
          "params": {"$ref": "#/$defs/params"},
          "ops": {"type": "array", "items": {"$ref": "#/$defs/op"}},
          "out": {"$ref": "#/$defs/names"}
        }
      }
    },
    "ops": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/op"}, {"$ref": "#/$defs/repeat"}]}},
    "loss": {"type": "string", "description": "a result; its elements are summed"},
    "outputs": {"$ref": "#/$defs/names", "description": "what sampling computes for one sequence"}
  },
  "$defs": {
    "size": {
      "description": "a dimension, a number or a product of them",
      "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "minLength": 1}]
    },
    "shape": {"type": "array", "items": {"$ref": "#/$defs/size"}},
    "names": {"type": "array", "items": {"type": "string"}},
    "params": {
      "type": "object",
      "additionalProperties": {
        "type": "object",
        "required": ["shape"],
        "anyOf": [{"required": ["init"]}, {"required": ["source"]}],
        "additionalProperties": false,
        "properties": {
          "shape": {"$ref": "#/$defs/shape"},
          "init": {
            "description": "a number that fills the parameter, or a normal distribution",
            "anyOf": [
              {"type": "number"},
              {
                "type": "object",
                "required": ["normal"],
                "additionalProperties": false,
                "properties": {"normal": {"type": "number", "minimum": 0}}
              }
            ]
          },
          "group": {"enum": ["decay", "no_decay", "frozen", "statistics"]},
          "source": {
            "type": "object",
            "description": "the file that holds the first values of the parameter",
            "required": ["file"],
            "additionalProperties": false,
            "properties": {
              "file": {"type": "string", "description": "path in the model's folder"},
              "tensor": {"type": "string", "description": "name in the file, if not the parameter's name; {i} becomes the number of the repetition"},
              "transposed": {"type": "boolean"}
            }
          }
        }
      }
    },
    "repeat": {
      "type": "object",
      "required": ["block", "carry", "name"],
      "additionalProperties": false,
      "properties": {
        "repeat": {"$ref": "#/$defs/size"},
        "first": {"type": "integer", "minimum": 0, "description": "the number of the first repetition"},
        "block": {"type": "string"},
        "carry": {"$ref": "#/$defs/names"},
        "with": {"$ref": "#/$defs/names", "description": "values that go in after those of carry, the same for every repetition"},
        "name": {"type": "string", "description": "name of a repetition; {i} becomes its number"},
        "prefix": {"type": "string", "description": "prefix of the names of its parameters; default: name"}
      }
    }
  }
})json";

} // namespace

std::string graphJsonSchema() {
  using json = nlohmann::ordered_json;
  json document = json::parse(kDocument), ops = json::array();
  for (const GraphJsonEntry *entry : graphJsonEntries()) {
    json op = {{"type", "object"}, {"description", entry->meaning}, {"required", {"op", "out"}}};
    op["properties"]["op"]["const"] = entry->name;
    op["properties"]["in"] = {
        {"type", "array"}, {"description", entry->inputs}, {"items", {{"type", "string"}}}};
    op["properties"]["out"] = {{"type", {"string", "array"}}};
    if (!entry->keys.empty())
      op["$comment"] = "keys: " + std::string(entry->keys);
    ops.push_back(std::move(op));
  }
  document["$defs"]["op"] = {{"oneOf", std::move(ops)}};
  return document.dump(2) + "\n";
}

} // namespace windlass
