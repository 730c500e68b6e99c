// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxReader.h"

#include "test/support/ptx/PtxTokens.h"

#include <limits>
#include <map>
#include <unordered_map>

namespace windlass::ptx {
namespace {

const std::vector<OpcodeInfo> &opcodes() {
  static const std::vector<OpcodeInfo> table = {
#define PTX_COMPUTE(name, text, operands) {text, Kind::Compute, operands, Space::Global, 0, 0},
#define PTX_LOAD(name, text, space, elements, bytes) {text, Kind::Load, "", Space::space, elements, bytes},
#define PTX_LOAD_SIGNED(name, text, space, elements, bytes)                                                  \
  {text, Kind::Load, "", Space::space, elements, bytes, true},
#define PTX_STORE(name, text, space, elements, bytes) {text, Kind::Store, "", Space::space, elements, bytes},
#define PTX_CONTROL(name, text, kind) {text, Kind::kind, "", Space::Global, 0, 0},
#include "compiler/codegen/ptx/PtxOpcodes.def"
  };
  return table;
}

const Opcode *findOpcode(std::string_view text) {
  static const std::unordered_map<std::string_view, Opcode> byText = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (size_t number = 0; number < opcodes().size(); ++number)
      map.emplace(opcodes()[number].text, static_cast<Opcode>(number));
    return map;
  }();
  auto found = byText.find(text);
  return found == byText.end() ? nullptr : &found->second;
}

/// The bits of a register class of the table: p, h, w or d.
int bitsOf(char letter) { return letter == 'p' ? 1 : letter == 'h' ? 16 : letter == 'w' ? 32 : 64; }

/// Reads a text from its first word to its last.
class PtxReader {
public:
  explicit PtxReader(std::string_view text) : tokens(tokenize(text)) { tokens.push_back({"", lastLine()}); }

  Result<Module> read() {
    while (!next().empty())
      WINDLASS_TRY(readTopLevel());
    if (!sawVersion || !sawTarget)
      return Status::badInput("PTX without .version or .target");
    return std::move(module);
  }

private:
  // The words.
  uint32_t lastLine() const { return tokens.empty() ? 1 : tokens.back().line; }
  std::string_view next() const { return tokens[at].text; }
  std::string_view take() { return at + 1 < tokens.size() ? tokens[at++].text : std::string_view(); }
  bool takeIf(std::string_view word) { return next() == word && (take(), true); }
  Status refuse(const std::string &why) const {
    return Status::badInput("PTX line " + std::to_string(tokens[at].line) + ": " + why);
  }
  static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }
  Status expect(std::string_view word) {
    return takeIf(word) ? Status::ok() : refuse("expected " + quoted(word) + ", found " + quoted(next()));
  }
  Status takeNumber(uint64_t &value) {
    std::optional<uint64_t> number = literalOf(next());
    if (!number)
      return refuse("expected a number, found " + quoted(next()));
    take();
    value = *number;
    return Status::ok();
  }

  // Outside of kernels.
  Status readTopLevel() {
    if (takeIf(".version")) {
      sawVersion = true;
      return expect("8.0");
    }
    if (takeIf(".target")) {
      sawTarget = true;
      return expect("sm_80");
    }
    if (takeIf(".address_size"))
      return expect("64");
    if (next() == ".shared" || next() == ".global")
      return readVariable(moduleShared, moduleSharedBytes);
    if (takeIf(".visible")) {
      if (next() == ".global")
        return readVariable(moduleShared, moduleSharedBytes);
      WINDLASS_TRY(expect(".entry"));
      return readKernel();
    }
    return refuse(quoted(next()) + " is not known outside of kernels");
  }

  /// .shared .align 16 .b8 name[bytes]; | .global .align 16 .b8 name[bytes] = {1, 2};
  Status readVariable(std::map<std::string_view, uint64_t> &shared, uint32_t &sharedBytes) {
    const bool isShared = take() == ".shared";
    Variable variable;
    if (takeIf(".align"))
      WINDLASS_TRY(takeNumber(variable.alignment));
    WINDLASS_TRY(expect(".b8"));
    const std::string_view name = take();
    WINDLASS_TRY(expect("["));
    WINDLASS_TRY(takeNumber(variable.bytes));
    WINDLASS_TRY(expect("]"));
    if (variable.alignment == 0 || (variable.alignment & (variable.alignment - 1)) != 0)
      return refuse("an alignment that is no power of 2");
    if (isShared) {
      sharedBytes = (sharedBytes + variable.alignment - 1) / variable.alignment * variable.alignment;
      shared[name] = sharedBytes;
      sharedBytes += variable.bytes;
      return expect(";");
    }
    variable.name = name;
    if (takeIf("="))
      WINDLASS_TRY(readImage(variable));
    variable.image.resize(variable.bytes);
    globals[name] = module.variables.size();
    module.variables.push_back(std::move(variable));
    return expect(";");
  }

  Status readImage(Variable &variable) {
    WINDLASS_TRY(expect("{"));
    do {
      uint64_t byte = 0;
      WINDLASS_TRY(takeNumber(byte));
      if (byte > 255 || variable.image.size() >= variable.bytes)
        return refuse("a byte too large, or one too many, of " + quoted(variable.name));
      variable.image.push_back(static_cast<uint8_t>(byte));
    } while (takeIf(","));
    return expect("}");
  }

  // A kernel.
  Status readKernel() {
    kernel = Kernel();
    kernel.name = take();
    kernel.sharedBytes = moduleSharedBytes;
    shared = moduleShared;
    registers.clear(), constants.clear(), labels.clear(), branches.clear();
    WINDLASS_TRY(readParameters());
    if (!takeIf(".reqntid"))
      return refuse("kernel " + quoted(kernel.name) + " has no .reqntid");
    WINDLASS_TRY(readBlockSize());
    if (takeIf(".minnctapersm")) // only the assembler needs it
      take();
    WINDLASS_TRY(expect("{"));
    while (!takeIf("}"))
      WINDLASS_TRY(readStatement());
    for (auto [instruction, label] : branches) {
      if (!labels.contains(label))
        return refuse("kernel " + quoted(kernel.name) + " has no label " + quoted(label));
      kernel.body[instruction].target = labels[label];
    }
    if (kernel.body.empty() || kernel.body.back().kind != Kind::Return)
      return refuse("kernel " + quoted(kernel.name) + " does not end with ret");
    module.kernels.push_back(std::move(kernel));
    return Status::ok();
  }

  Status readParameters() {
    WINDLASS_TRY(expect("("));
    while (!takeIf(")")) {
      WINDLASS_TRY(expect(".param"));
      const std::string_view type = take();
      std::optional<uint64_t> bits = type.size() > 2 ? literalOf(type.substr(2)) : std::nullopt;
      if (!bits || *bits < 8 || *bits > 64)
        return refuse("a parameter that is no number: " + quoted(type));
      while (next().starts_with("."))
        if (take() == ".align")
          take();
      const auto bytes = static_cast<uint32_t>(*bits / 8);
      kernel.parameterBytes = (kernel.parameterBytes + bytes - 1) / bytes * bytes;
      kernel.parameters.push_back({std::string(take()), kernel.parameterBytes, bytes});
      kernel.parameterBytes += bytes;
      takeIf(",");
    }
    return Status::ok();
  }

  Status readBlockSize() {
    uint64_t sizes[3] = {1, 1, 1};
    WINDLASS_TRY(takeNumber(sizes[0]));
    for (int dimension = 1; dimension < 3 && takeIf(","); ++dimension)
      WINDLASS_TRY(takeNumber(sizes[dimension]));
    if (sizes[0] < 1 || sizes[0] > 1024 || sizes[1] != 1 || sizes[2] != 1)
      return refuse("a block that is not 1 to 1024 threads along x");
    kernel.threads = static_cast<uint32_t>(sizes[0]);
    return Status::ok();
  }

  Status readStatement() {
    if (next() == ".reg")
      return readRegisters();
    if (next() == ".shared")
      return readVariable(shared, kernel.sharedBytes);
    if (takeIf(".pragma")) {
      take();
      return expect(";");
    }
    if (tokens[at + 1].text == ":" && at + 2 < tokens.size()) {
      if (!labels.emplace(take(), kernel.body.size()).second)
        return refuse("a label for the second time");
      return expect(":");
    }
    return readInstruction();
  }

  /// .reg .b32 %r<7>;
  Status readRegisters() {
    take();
    const std::string_view type = take(), prefix = take();
    std::optional<uint64_t> bits = type == ".pred"   ? std::optional<uint64_t>(1)
                                   : type.size() > 2 ? literalOf(type.substr(2))
                                                     : std::nullopt;
    if (!bits || (*bits != 1 && *bits != 16 && *bits != 32 && *bits != 64))
      return refuse("registers of the type " + quoted(type));
    uint64_t count = 0;
    WINDLASS_TRY(expect("<"));
    WINDLASS_TRY(takeNumber(count));
    WINDLASS_TRY(expect(">"));
    for (uint64_t number = 0; number < count; ++number) {
      std::string name = std::string(prefix) + std::to_string(number);
      uint16_t slot = 0;
      WINDLASS_TRY(addSlot({Slot::Holds::Register, static_cast<uint8_t>(*bits), 0, name}, slot));
      registers.emplace(std::move(name), slot);
    }
    return expect(";");
  }

  Status addSlot(Slot slot, uint16_t &number) {
    if (kernel.slots.size() >= kNoSlot)
      return refuse("kernel " + quoted(kernel.name) + " has too many registers");
    number = static_cast<uint16_t>(kernel.slots.size());
    kernel.slots.push_back(std::move(slot));
    return Status::ok();
  }

  Status readInstruction() {
    Instruction instruction;
    instruction.line = tokens[at].line;
    if (takeIf("@")) {
      instruction.guardNegated = takeIf("!");
      WINDLASS_TRY(readOperand(instruction.guard, 1, false));
    }
    const Opcode *opcode = findOpcode(next());
    if (!opcode)
      return refuse(quoted(next()) + " is not a known opcode");
    take();
    instruction.opcode = *opcode;
    instruction.kind = infoOf(*opcode).kind;
    WINDLASS_TRY(readOperands(instruction));
    kernel.body.push_back(instruction);
    return expect(";");
  }

  Status readOperands(Instruction &instruction) {
    const OpcodeInfo &info = infoOf(instruction.opcode);
    switch (instruction.kind) {
    case Kind::Compute:
      return readCompute(instruction, info);
    case Kind::Load:
      WINDLASS_TRY(readElements(instruction.results, info, true));
      WINDLASS_TRY(expect(","));
      return readAddress(instruction, info.space);
    case Kind::Store:
      WINDLASS_TRY(readAddress(instruction, info.space));
      WINDLASS_TRY(expect(","));
      return readElements(instruction.sources, info, false);
    case Kind::Shuffle:
      return readShuffle(instruction);
    case Kind::Barrier:
      return expect("0");
    case Kind::Branch:
      branches.emplace_back(kernel.body.size(), take());
      return Status::ok();
    case Kind::Return:
      return Status::ok();
    case Kind::Pack:
    case Kind::Unpack:
      break; // no opcode of the table: some forms of mov become one
    }
    return refuse("no operands are known of " + quoted(info.text));
  }

  /// The source of a conversion of integers may be a wider register.
  static bool takesWider(const OpcodeInfo &info) {
    return info.text.starts_with("cvt.") && (info.text[4] == 'u' || info.text[4] == 's');
  }

  Status readCompute(Instruction &instruction, const OpcodeInfo &info) {
    if (info.text.starts_with("mov.b") && next() == "{")
      return readUnpack(instruction, bitsOf(info.operands[0]));
    WINDLASS_TRY(readOperand(instruction.results[0], bitsOf(info.operands[0]), false));
    if (kernel.slots[instruction.results[0]].holds != Slot::Holds::Register)
      return refuse("a result that is no register");
    WINDLASS_TRY(expect(","));
    if (info.text.starts_with("mov.b") && next() == "{")
      return readPack(instruction, bitsOf(info.operands[0]));
    for (size_t source = 0; source + 1 < info.operands.size(); ++source) {
      if (source > 0)
        WINDLASS_TRY(expect(","));
      const int bits = bitsOf(info.operands[source + 1]);
      WINDLASS_TRY(readOperand(instruction.sources[source], bits, takesWider(info)));
    }
    return Status::ok();
  }

  /// A result that is not read: a register without a name, one for all results of its width.
  Status readUnnamed(uint16_t &slot, int bits) {
    take();
    const auto key = std::pair(std::string("_"), bits);
    if (!constants.contains(key)) {
      WINDLASS_TRY(addSlot({Slot::Holds::Register, static_cast<uint8_t>(bits), 0, "_"}, slot));
      constants[key] = slot;
    }
    slot = constants[key];
    return Status::ok();
  }

  /// {a, b}: registers that together have `bits` bits.
  Status readParts(std::array<uint16_t, 4> &parts, int bits) {
    WINDLASS_TRY(expect("{"));
    size_t count = 1; // the number of parts
    for (size_t word = at; word < tokens.size() && tokens[word].text != "}"; ++word)
      count += tokens[word].text == ",";
    if (count > parts.size())
      return refuse("more than four parts");
    const int width = bits / static_cast<int>(count);
    for (size_t part = 0; part < count; ++part) {
      if (part > 0)
        WINDLASS_TRY(expect(","));
      WINDLASS_TRY(next() == "_" ? readUnnamed(parts[part], width) : readOperand(parts[part], 0, false));
      if (kernel.slots[parts[part]].bits != width)
        return refuse("parts that are not of the register's width");
    }
    return expect("}");
  }

  Status readUnpack(Instruction &instruction, int bits) {
    instruction.kind = Kind::Unpack;
    WINDLASS_TRY(readParts(instruction.results, bits));
    WINDLASS_TRY(expect(","));
    return readOperand(instruction.sources[0], bits, false);
  }

  Status readPack(Instruction &instruction, int bits) {
    instruction.kind = Kind::Pack;
    return readParts(instruction.sources, bits);
  }

  /// The registers of a load or a store, which are at least as wide as an element.
  Status readElements(std::array<uint16_t, 4> &slots, const OpcodeInfo &info, bool isLoad) {
    if (info.elements > 1)
      WINDLASS_TRY(expect("{"));
    for (int element = 0; element < info.elements; ++element) {
      if (element > 0)
        WINDLASS_TRY(expect(","));
      const int bits = std::max<int>(info.bytes * 8, 16);
      WINDLASS_TRY(isLoad && next() == "_" ? readUnnamed(slots[element], bits)
                                           : readOperand(slots[element], bits, true));
      if (isLoad && kernel.slots[slots[element]].holds != Slot::Holds::Register)
        return refuse("a result that is no register");
    }
    return info.elements > 1 ? expect("}") : Status::ok();
  }

  /// [name + 4], [%rd1 + -8]
  Status readAddress(Instruction &instruction, Space space) {
    WINDLASS_TRY(expect("["));
    if (space == Space::Param)
      WINDLASS_TRY(findParameter(instruction));
    else
      WINDLASS_TRY(readOperand(instruction.address, 64, false));
    if (takeIf("+")) {
      const bool isNegative = takeIf("-");
      uint64_t offset = 0;
      WINDLASS_TRY(takeNumber(offset));
      instruction.offset += isNegative ? -static_cast<int64_t>(offset) : static_cast<int64_t>(offset);
    }
    return expect("]");
  }

  Status findParameter(Instruction &instruction) {
    for (const Parameter &parameter : kernel.parameters)
      if (parameter.name == next()) {
        take();
        instruction.offset = parameter.offset;
        return Status::ok();
      }
    return refuse("no parameter " + quoted(next()));
  }

  /// shfl.sync.bfly.b32 %r1|%p1, %r2, 2, 31, -1;
  Status readShuffle(Instruction &instruction) {
    WINDLASS_TRY(readOperand(instruction.results[0], 32, false));
    if (takeIf("|"))
      WINDLASS_TRY(readOperand(instruction.results[1], 1, false));
    for (uint16_t &source : instruction.sources) {
      WINDLASS_TRY(expect(","));
      WINDLASS_TRY(readOperand(source, 32, false));
    }
    return Status::ok();
  }

  /// A register, literal, special register or variable. `bits` 0: a register of any width.
  Status readOperand(uint16_t &slot, int bits, bool mayBeWider) {
    const bool isNegative = takeIf("-");
    const std::string name = (isNegative ? "-" : "") + std::string(next());
    if (auto found = registers.find(name); found != registers.end()) {
      const int has = kernel.slots[found->second].bits;
      if (bits != 0 && has != bits && !(mayBeWider && has > bits))
        return refuse(quoted(name) + " has " + std::to_string(has) + " bits, not " + std::to_string(bits));
      slot = found->second;
      take();
      return Status::ok();
    }
    Slot made{Slot::Holds::Literal, static_cast<uint8_t>(bits), 0, name};
    if (std::optional<uint64_t> literal = literalOf(next()))
      made.value = isNegative ? -*literal : *literal;
    else if (!findSpecial(made))
      return refuse(quoted(name) + " is no operand of " + std::to_string(bits) + " bits");
    if (bits == 0)
      return refuse("a literal among the parts of a register");
    take();
    const auto key = std::pair(name, bits);
    if (!constants.contains(key)) {
      WINDLASS_TRY(addSlot(made, slot));
      constants[key] = slot;
    }
    slot = constants[key];
    return Status::ok();
  }

  /// Special registers have 32 bits, addresses 64.
  bool findSpecial(Slot &slot) const {
    static const std::map<std::string_view, Slot::Holds> specials = {
        {"%tid.x", Slot::Holds::ThreadId},  {"%ntid.x", Slot::Holds::BlockThreads},
        {"%ctaid.x", Slot::Holds::BlockId}, {"%nctaid.x", Slot::Holds::GridBlocks},
        {"%laneid", Slot::Holds::Lane},
    };
    if (auto special = specials.find(slot.name); special != specials.end()) {
      slot.holds = special->second;
      return slot.bits == 32;
    }
    if (auto variable = shared.find(slot.name); variable != shared.end()) {
      slot.value = variable->second;
      return slot.bits == 64;
    }
    if (auto variable = globals.find(slot.name); variable != globals.end()) {
      slot.holds = Slot::Holds::Variable;
      slot.value = variable->second;
      return slot.bits == 64;
    }
    return false;
  }

  std::vector<Token> tokens; ///< the last one is empty
  size_t at = 0;
  bool sawVersion = false, sawTarget = false;
  Module module;
  std::map<std::string_view, uint64_t> moduleShared, globals; ///< by name: an address; a number
  uint32_t moduleSharedBytes = 0;

  // The kernel that is being read.
  Kernel kernel;
  std::map<std::string_view, uint64_t> shared;
  std::unordered_map<std::string, uint16_t> registers;
  std::map<std::pair<std::string, int>, uint16_t> constants;
  std::map<std::string_view, uint32_t> labels;
  std::vector<std::pair<size_t, std::string_view>> branches; ///< an instruction, and the target of its branch
};

} // namespace

const OpcodeInfo &infoOf(Opcode opcode) { return opcodes()[static_cast<size_t>(opcode)]; }

Result<Module> load(std::string_view text) { return PtxReader(text).read(); }

} // namespace windlass::ptx
