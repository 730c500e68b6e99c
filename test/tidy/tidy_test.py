#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows that the tidy checks can fail: each broken rule is found, at its line, and a clean tree has none."""

import json
import pathlib
import tempfile
import unittest

import attributes
import budgets
import formatting
import headers
import layers
import licences
import order
import orphans
import words
from source_tree import SourceTree

TABLE = f"""
{layers.HEADING}
| --- | --- | --- |
| `dialects/<Level>/IR` | ops | `dialects` of the levels above |
| `runtime/base` | files | nothing |
| `runtime/tiers` | disks | `runtime/base` |
| `compiler/codegen` | kernels | `runtime/base` |
| `compiler/driver` | phases | all of the above |
| `compiler/driver/search` | candidates | `compiler/driver/Options.h` |
| `planning` | decisions | `runtime/base` |
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/architecture.md", TABLE)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def found(self, module, build=None):
        return [f"{finding.file}:{finding.line}" for finding in module.check(SourceTree(self.root, build))]

    def test_sources_name_their_licence_first(self):
        slashes, hashes = f"// {licences.NAME}\n", f"# {licences.NAME}\n"
        self.write("LICENSE", "")
        self.write("runtime/base/File.h", slashes + "#pragma once\n")
        self.write("tools/run.sh", "#!/bin/sh\n" + hashes)
        self.write("tools/CMakeLists.txt", hashes)
        self.write("docs/page.md", "# A page\n")
        self.assertEqual(self.found(licences), [])
        self.write("runtime/base/File.h", "#pragma once\n" + slashes)
        self.write("tools/run.sh", "#!/bin/sh\n")
        self.write("tools/empty.py", "")
        self.assertEqual(self.found(licences), ["runtime/base/File.h:1", "tools/empty.py:1", "tools/run.sh:2"])

    def test_a_header_opens_with_its_contract(self):
        def header(ruler=headers.WIDTH, **changed):
            first = "//===- File.h - files "
            lines = {"first": first + "=" * (ruler - len(first) - 2) + "//", "second": "//",
                     "duty": "// Duty: writes files.", "errors": "// Errors: of the disk.", "last": "//",
                     "end": headers.END, "once": "#pragma once"} | changed
            return f"// {licences.NAME}\n" + "".join(f"{line}\n" for line in lines.values() if line is not None)

        self.write("tools/cmake/Pch.h", "#include <map>\n")
        self.write("runtime/base/File.h", header())
        self.assertEqual(self.found(headers), [])
        for line, wrong in ((2, header(78)), (2, header(first="// Files.")), (3, header(second=None)),
                            (2, header(first=header().splitlines()[1].replace("File.h", "Pipe.h"))),
                            (4, header(duty="// Writes files.")), (6, header(last=None)), (7, header(end="//---//")),
                            (7, header(once="#include <map>")), (2, "")):
            self.write("runtime/base/File.h", wrong)
            self.assertEqual(self.found(headers), [f"runtime/base/File.h:{line}"], wrong)

    def test_allowed_includes_pass(self):
        self.write("runtime/tiers/Disk.cpp", '#include "runtime/base/File.h"\n#include <liburing.h>\n')
        self.write("dialects/Dist/IR/Dist.td", 'include "dialects/Graph/IR/Graph.td"\n')
        self.write("dialects/Register.cpp", '#include "dialects/Dist/IR/Dist.h"\n')
        self.write("compiler/driver/Compile.cpp", '#include "dialects/Register.h"\n#include "mlir/IR/Value.h"\n')
        self.assertEqual(self.found(layers), [])

    def test_a_room_below_may_not_include_one_above(self):
        self.write("runtime/base/File.h", '#pragma once\n#include "runtime/tiers/Disk.h"\n')
        self.assertEqual(self.found(layers), ["runtime/base/File.h:2"])

    def test_a_room_of_one_name_has_its_folders(self):
        self.write("planning/Memory/Solver.cpp", '#include "planning/TextForm.h"\n#include "compiler/driver/Compile.h"\n')
        self.assertEqual(self.found(layers), ["planning/Memory/Solver.cpp:2"])

    def test_an_inner_room_includes_of_its_room_what_its_line_names(self):
        self.write("compiler/driver/Compile.cpp", '#include "compiler/driver/search/Search.h"\n')
        self.write("compiler/driver/search/Search.cpp", '#include "compiler/driver/Options.h"\n#include "runtime/base/File.h"\n')
        self.assertEqual(self.found(layers), [])
        self.write("compiler/driver/search/Search.h", '#include "compiler/driver/Compile.h"\n#include "planning/TextForm.h"\n')
        self.assertEqual(self.found(layers), ["compiler/driver/search/Search.h:1", "compiler/driver/search/Search.h:2"])

    def test_a_level_may_not_include_a_later_one(self):
        self.write("dialects/Graph/IR/Graph.h", '#include "dialects/Dist/IR/Dist.h"\n')
        self.assertEqual(self.found(layers), ["dialects/Graph/IR/Graph.h:1"])

    def test_the_runtime_may_not_include_mlir(self):
        self.write("runtime/base/File.cpp", '#include "mlir/IR/Value.h"\n')
        self.assertEqual(self.found(layers), ["runtime/base/File.cpp:1"])

    def test_a_library_is_for_its_inner_room_alone(self):
        self.write("compiler/codegen/object/Link.cpp", '#include "lld/Common/Driver.h"\n')
        self.assertEqual(self.found(layers), [])
        self.write("compiler/codegen/ptx/Write.cpp", '#include "mlir/IR/Value.h"\n#include "lld/Common/Driver.h"\n')
        self.write("compiler/codegen/Codegen.cpp", '#include "lld/Common/Driver.h"\n')
        self.assertEqual(self.found(layers), ["compiler/codegen/Codegen.cpp:1", "compiler/codegen/ptx/Write.cpp:2"])

    def test_a_room_needs_a_line_and_the_page_a_table(self):
        self.write("runtime/attic/Old.cpp", "")
        self.assertEqual(self.found(layers), ["runtime/attic/Old.cpp:1"])
        self.write("docs/architecture.md", "")
        self.assertIn("docs/architecture.md:1", self.found(layers))

    def test_attributes_are_those_that_the_page_lists(self):
        page = f"{TABLE}\n{attributes.HEADING}\n| --- | --- | --- |\n| `layer`, `windlass.phase` | a call | of it |\n"
        self.write("docs/architecture.md", page)
        self.write("dialects/Flow/IR/FlowOps.td", "let arguments = (ins StrAttr:$item);\n")
        header = 'inline constexpr StringLiteral kLayer = "layer",\n    kPhase = "windlass.phase";\n'
        self.write("passes/Graph/Attributes.h", header)
        self.write("passes/Graph/Use.cpp", 'constexpr StringLiteral kLoss = "loss";\nop->getAttr("item");\n')
        self.assertEqual(self.found(attributes), [])
        self.write("passes/Graph/Use.cpp", 'constexpr StringLiteral kTile = "tile";\n\nop->hasAttr(a::kTile);\n'
                                           'function.setArgAttr(i, "name", x);\nmodule->setAttr(\n    "wide", x);\n')
        self.write("passes/Graph/Attributes.h", header.replace("layer", "graph.layer"))
        missing = ["passes/Graph/Attributes.h:1", "passes/Graph/Use.cpp:1", "passes/Graph/Use.cpp:4", "passes/Graph/Use.cpp:5"]
        stale = [f"docs/architecture.md:{len(page.splitlines())}"]
        self.assertEqual(sorted(self.found(attributes)), stale + missing)

    def test_two_arguments_of_a_call_do_not_write_ir(self):
        self.write("passes/Graph/Named.cpp", '''Value half(const Scalars &s, Value x) { return s.mul(x, s.like(x, 0.5)); }
Value both = s.mul(half(s, x), y), type = AddFOp::create(builder, loc, builder.getF32Type(), half(s, both));
SmallVector<Value> in_order{s.exp(x), s.log(x)};
auto later = run([&] { return s.exp(x); }, [&](Value y) -> Value { return s.log(y); }, "s.exp(x)" /* s.exp(x) */);
''')
        self.write("runtime/base/Draw.cpp", "f(s.exp(x), s.log(x));\n")
        self.assertEqual(self.found(order), [])
        self.write("passes/Graph/Open.cpp", '''Value half(const Scalars &s, Value x) { return s.mul(x, s.like(x, 0.5)); }
Value a = s.mul(s.exp(x),
                s.log(x));
Value b = s.mul(half(s, x), half(s, y));
auto c = run([&] { return s.div(AddFOp::create(builder, loc, x, y), buildCast(rewriter, x)); });
''')
        self.assertEqual(self.found(order), [f"passes/Graph/Open.cpp:{line}" for line in (2, 4, 5)])

    def test_long_files_and_functions(self):
        body = "  f();\n" * budgets.FUNCTION_LINES
        self.write("runtime/base/Long.cpp", f"namespace windlass {{\n\nvoid g() {{\n{body}}}\n\n}}\n")
        self.write("runtime/base/Short.cpp", f"namespace windlass {{\n{body}}}\nvoid g() {{\n  f();\n}}\n")
        self.write("runtime/base/Long.h", "int x;\n" * 302)
        self.assertEqual(self.found(budgets), ["runtime/base/Long.cpp:3", "runtime/base/Long.h:302"])

    def test_words(self):
        self.write("runtime/base/Utils.h", "")
        self.write("runtime/base/File.cpp", "// TODO: later\n")
        self.write("runtime/base/Path.cpp", '\nauto path = "/home/me/x";\nauto pattern = "/tmp/x-XXXXXX";\n')
        self.assertEqual(self.found(words),
                         ["runtime/base/File.cpp:1", "runtime/base/Path.cpp:2", "runtime/base/Utils.h:1"])

    def test_formatting(self):
        self.write(".clang-format", "BasedOnStyle: LLVM\n")
        self.write("runtime/base/File.cpp", "int x;\n\nint  y;\n")
        self.write("runtime/base/Path.cpp", "int x;\n")
        self.assertEqual(self.found(formatting), ["runtime/base/File.cpp:3"])

    def test_a_pass_needs_its_file_and_its_test(self):
        self.write("passes/Flow/Passes.td", 'def ElideWaits : Pass<"elide-waits", "x"> {\ndef Go : Pass<"run"> {\n')
        self.write("passes/Flow/ElideWaits.cpp", "")
        self.write("test/passes/Flow/elide-waits.mlir", "")
        self.assertEqual(self.found(orphans), ["passes/Flow/Passes.td:2"] * 3)

    def test_a_source_is_built(self):
        self.write("test/runtime/ATest.cpp", "")
        self.write("test/runtime/BTest.cpp", "")
        commands = [{"directory": f"{self.root}", "file": f"{self.root}/test/runtime/ATest.cpp"}]
        self.write("build/compile_commands.json", json.dumps(commands))
        self.assertEqual(self.found(orphans, self.root / "build"), ["test/runtime/BTest.cpp:1"])


if __name__ == "__main__":
    unittest.main()
