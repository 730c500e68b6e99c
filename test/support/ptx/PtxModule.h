// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxModule.h - PTX as plain structs ====================================//
//
// Duty: kernels of one PTX text, ready to be executed: opcodes of PtxOpcodes.def, and
// operands as slots. A slot is 64 bits for every lane: a register, or a value that no
// instruction writes (a literal, a special register, an address). Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::ptx {

enum class Opcode : uint16_t {
#define PTX_COMPUTE(name, text, operands) name,
#define PTX_LOAD(name, text, space, elements, bytes) name,
#define PTX_STORE(name, text, space, elements, bytes) name,
#define PTX_CONTROL(name, text, kind) name,
#include "compiler/codegen/ptx/PtxOpcodes.def"
};

enum class Space : uint8_t { Param, Global, Shared };

/// What an instruction does besides computing.
enum class Kind : uint8_t { Compute, Pack, Unpack, Load, Store, Shuffle, Barrier, Branch, Return };

/// A row of PtxOpcodes.def.
struct OpcodeInfo {
  std::string_view text;
  Kind kind;
  std::string_view operands; ///< of Compute: the result, then the sources
  Space space;               ///< of Load and Store, as what follows
  uint8_t elements, bytes;
  bool isSigned = false; ///< of Load: the sign fills a wider register
};

const OpcodeInfo &infoOf(Opcode opcode);

struct Slot {
  enum class Holds : uint8_t {
    Register,
    Literal,
    ThreadId,
    BlockThreads,
    BlockId,
    GridBlocks,
    Lane,
    Variable
  };
  Holds holds = Holds::Register;
  uint8_t bits = 32;  ///< 1, 16, 32 or 64
  uint64_t value = 0; ///< of a Literal, which fits any width; of a Variable, its number in Module::variables
  std::string name;   ///< as the text has it
};

inline constexpr uint16_t kNoSlot = 0xFFFF;

struct Instruction {
  Opcode opcode{};
  Kind kind{};
  bool guardNegated = false;
  uint16_t guard = kNoSlot; ///< a predicate without which a lane leaves the instruction out
  std::array<uint16_t, 4> results{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  std::array<uint16_t, 4> sources{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  uint16_t address = kNoSlot; ///< of Load and Store, but for parameters, whose offset says all
  int64_t offset = 0;         ///< bytes added to the address
  uint32_t target = 0;        ///< of a Branch: number of an instruction
  uint32_t line = 0;          ///< of the text
};

/// A parameter, where the launch's bytes have it.
struct Parameter {
  std::string name;
  uint32_t offset, bytes;
};

struct Kernel {
  std::string name;
  uint32_t threads = 0; ///< of a block, all along x (.reqntid)
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t sharedBytes = 0; ///< from address 0 of the block's shared memory
  std::vector<Slot> slots;
  std::vector<Instruction> body; ///< ends with ret
};

/// A variable of the device's memory that the text brings along; who loads the module gives it a place.
struct Variable {
  std::string name;
  uint64_t bytes = 0, alignment = 1;
  std::vector<uint8_t> image; ///< of `bytes`
};

struct Module {
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;

  const Kernel *find(std::string_view name) const {
    for (const Kernel &kernel : kernels)
      if (kernel.name == name)
        return &kernel;
    return nullptr;
  }
};

} // namespace windlass::ptx
