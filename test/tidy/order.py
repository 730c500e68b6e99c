# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR has one order under every compiler: no two arguments of a call write some.

C++ leaves open which argument of a call is evaluated first, and GCC and clang differ: `s.mul(s.exp(a), s.exp(b))` is
another module, and so another plan, with each. Values that are named first, and lists in braces, have an order.

An argument writes if it creates an operation (`AddFOp::create(`, `buildCast(`), calls a method of what writes (WRITERS,
by the names that the house gives them), hands that to a function, or calls a function of its own file that returns a
`Value`. Asking (`get...`) writes nothing; the body of a lambda runs later.
"""

import bisect
import re

from source_tree import Finding

HELD = ("dialects", "passes", "compiler")
WRITERS = r"(?:\w+\.)*(?:builder|rewriter|inside|detached|s|f|lanes|blocks|writer|maker|threads)"
WRITES = (rf"::create\(|\bbuild[A-Z]\w*\(|\b(?:{WRITERS}|d)\.(?!get|size\b)\w+\(|(?<!Attr)(?<!Type)\(\s*{WRITERS}\s*[,)]")
DEFINED = re.compile(r"\b(?:mlir::|llvm::)?Value \*?(?:\w+::)?(\w+)\([^()]*\)(?: const)?(?: override)? \{")
CALL = re.compile(r"(\w+|>|\))\s*\(")
NO_CALLS = {"if", "for", "while", "switch", "return", "sizeof", "decltype"}
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?(?:mutable\s*)?(?:->\s*[\w:<>, ]+?\s*)?\{")
TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.DOTALL)


def without_text(source):
    """The source without comments and literals, every other character where it was."""
    return TEXT.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), source)


def brackets(source):
    """Where each bracket that opens is closed."""
    open_ones, closed = [], {}
    for at, character in enumerate(source):
        if character in "([{":
            open_ones.append(at)
        elif character in ")]}" and open_ones:
            closed[open_ones.pop()] = at
    return closed


def arguments(source, closed, opening):
    """The arguments of a call, without what lambdas among them will do."""
    text, at = "", opening + 1
    lambdas = {match.start(): match for match in LAMBDA.finditer(source, at, closed[opening])}
    depth = 0
    while at < closed[opening]:
        if at in lambdas:
            at = closed.get(lambdas[at].end() - 1, at) + 1
            continue
        depth += (source[at] in "([{") - (source[at] in ")]}")
        if source[at] == "," and depth == 0:
            yield text
            text = ""
        else:
            text += source[at]
        at += 1
    yield text


def check(tree):
    for path in tree.files(".h", ".cpp", under=HELD):
        source = without_text("\n".join(line for _, line in tree.lines(path)))
        closed = brackets(source)
        own = "|".join(sorted(set(DEFINED.findall(source)))) or "(?!)"
        writes = re.compile(rf"{WRITES}|(?<![\w.>:])(?:{own})\(")
        places = [match.start() for match in writes.finditer(source)]
        for call in CALL.finditer(source):
            opening = call.end() - 1
            if call[1] in NO_CALLS or opening not in closed:
                continue
            if bisect.bisect(places, closed[opening]) - bisect.bisect(places, opening) < 2:
                continue
            if sum(1 for text in arguments(source, closed, opening) if writes.search(text)) > 1:
                yield Finding(path, source.count("\n", 0, call.start()) + 1,
                              "two arguments of this call write IR, in an order that C++ leaves open: name one before it")
