# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may include what: the tables of rooms in docs/architecture.md, held against every include.

A room is a folder that has a line (`model`, `runtime/plan`). The line names what the room may include: rooms,
folders of rooms (`dialects`), headers, or "all of the above". A room may include its inner rooms
(`compiler/import/onnx`); an inner room may include what its line names of the room around it, and outside of that
what the room around it may. Of dialects and passes, a level never includes a later one. Files directly in a folder
of rooms (`passes/Register.cpp`) speak for all of its rooms.
"""

import pathlib
import re

from source_tree import Finding

TABLE = pathlib.PurePath("docs/architecture.md")
HEADING = "| room | duty | may include |"
HELD = ("compiler", "passes", "planning", "model", "dialects", "runtime", "tools")
SOURCES = (".h", ".cpp", ".c", ".td", ".def")
LEVELS = ("Graph", "Dist", "Flow", "Plan")
INCLUDE = re.compile(r'\s*#?\s*include\s+[<"]([^>"]+)[>"]')

# Headers of the outside world, by how they begin, and the only folders that may include them.
COMPILER = ("compiler", "dialects", "passes", "tools/windlass-opt", "tools/cmake")
LIBRARIES = {
    "mlir/": COMPILER,
    "llvm/": COMPILER,
    "lld/": ("compiler/codegen/object",),
    "oneapi/": ("runtime/kernels",),
    "dnnl": ("runtime/kernels",),
    "omp.h": ("runtime/kernels",),
    "liburing": ("runtime/tiers",),
    "mpi.h": ("runtime/transport/mpi",),
    "xxhash": ("runtime/base",),
    "CLI/": ("tools",),
    "nlohmann/": ("compiler", "model", "runtime", "tools"),
    "google/protobuf": ("compiler/import/onnx",),
}


def expanded(name):
    """`runtime/{plan,base}` and `passes/<Level>` as the rooms they stand for."""
    name = name.replace("<Level>", "{" + ",".join(LEVELS) + "}").removesuffix("/IR")
    match = re.fullmatch(r"(.*)\{(.*)\}", name)
    return [match[1] + part for part in match[2].split(",")] if match else [name]


def allowed_rooms(tree):
    """For every room of the table, the rooms and folders of rooms that it may include."""
    allowed, inside = {}, False
    for _, line in tree.lines(TABLE):
        inside = line == HEADING or inside and line.startswith("|")
        cells = [cell.strip() for cell in line.split("|")]
        if not inside or len(cells) != 5:
            continue
        may = [room for name in re.findall(r"`([^`]+)`", cells[3]) for room in expanded(name)]
        if "all of the above" in cells[3]:
            may += list(allowed)
        for room in (room for name in re.findall(r"`([^`]+)`", cells[1]) for room in expanded(name)):
            allowed[room] = may
    return allowed


def is_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def room_of(path, allowed):
    """The innermost folder that has a line; else the room that should have one, or the folder of rooms."""
    for folder in path.parents:
        if folder.as_posix() in allowed:
            return folder.as_posix()
    return "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]


def outer_of(room, allowed):
    """The room that an inner room lies in, or None."""
    folders = (folder.as_posix() for folder in pathlib.PurePath(room).parents)
    return next((folder for folder in folders if folder in allowed), None)


def level_of(room):
    return next((LEVELS.index(name) for name in room.split("/") if name in LEVELS), -1)


def may_include(source, header, allowed):
    target = room_of(header, allowed)
    if is_in(target, source):
        return True
    outer = outer_of(source, allowed)
    if outer and not is_in(target, outer):
        return may_include(outer, header, allowed)
    if source not in allowed:  # a folder of rooms
        return any(may_include(room, header, allowed) for room in allowed if is_in(room, source))
    if 0 <= level_of(source) < level_of(target):
        return False
    return any(is_in(header.as_posix(), named) or target not in allowed and is_in(named, target)
               for named in allowed[source])


def check(tree):
    allowed = allowed_rooms(tree)
    if not allowed:
        yield Finding(TABLE, 1, f"the table '{HEADING}' is missing")
    for path in tree.files(*SOURCES, under=HELD):
        source = room_of(path, allowed)
        if source not in allowed and not any(is_in(room, source) for room in allowed) and source != "tools/cmake":
            yield Finding(path, 1, f"room '{source}' has no line in {TABLE}")
            continue
        for number, line in tree.lines(path):
            if not (match := INCLUDE.match(line)):
                continue
            header = pathlib.PurePath(match[1])
            if header.parts[0] in HELD and not may_include(source, header, allowed):
                target = room_of(header, allowed)
                yield Finding(path, number, f"'{source}' may not include '{target}' ({TABLE}): {header}")
            for library, users in LIBRARIES.items():
                if match[1].startswith(library) and not any(is_in(path.as_posix(), user) for user in users):
                    yield Finding(path, number, f"only {', '.join(users)} may include {library}: {header}")
