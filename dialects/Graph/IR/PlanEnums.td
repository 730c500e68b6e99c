// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanEnums.td - the plan's closed enums in IR -------------*- tablegen -*-===//

#ifndef WINDLASS_PLAN_ENUMS
#define WINDLASS_PLAN_ENUMS

include "mlir/IR/AttrTypeBase.td"

/// A value of the enum of this name in runtime/plan/Enums.def, which is the only list of its cases and words.
class PlanEnumParameter<string enum> : AttrParameter<"::windlass::plan::" # enum, "a " # enum # " of the plan"> {
  let printer = "$_printer.printKeywordOrString(::windlass::plan::stringifyEnum($_self))";
}

/// The same as an attribute. Getters and builders of ops take and return the C++ enum.
class PlanEnumAttr<Dialect dialect, string className, string enum, string word> : AttrDef<dialect, className> {
  let summary = "a " # enum # " of the plan";
  let parameters = (ins PlanEnumParameter<enum>:$value);
  let mnemonic = word;
  let assemblyFormat = "$value";
  let returnType = "::windlass::plan::" # enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = dialect.cppNamespace # "::" # className # "Attr::get($_builder.getContext(), $0)";
}

#endif
