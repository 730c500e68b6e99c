// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxModule.h - PTX as plain structs ====================================//
//
// Duty: the kernels of a PTX text, ready to be executed: opcodes of PtxOpcodes.def, with slots as operands. A
// slot has 64 bits for every lane. It is a register, or a value that no instruction writes (a literal, a
// special register, an address). Threads: values.
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

enum class Kind : uint8_t { Compute, Pack, Unpack, Load, Store, Shuffle, Barrier, Branch, Return };

/// A row of PtxOpcodes.def.
struct OpcodeInfo {
  std::string_view text;
  Kind kind;
  std::string_view operands; ///< of Compute: the result, then the sources
  Space space;               ///< of Load and Store, as are the next two
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
  uint8_t bits = 32; ///< 1, 16, 32 or 64
  /// The value of a literal, which is cut to the width; of a variable, its number in Module::variables.
  uint64_t value = 0;
  std::string name; ///< as in the text
};

inline constexpr uint16_t kNoSlot = 0xFFFF;

struct Instruction {
  Opcode opcode{};
  Kind kind{};
  bool guardNegated = false;
  uint16_t guard = kNoSlot; ///< a predicate of the lanes that run the instruction
  std::array<uint16_t, 4> results{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  std::array<uint16_t, 4> sources{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  /// Of Load and Store, except from parameters, for which the offset is enough.
  uint16_t address = kNoSlot;
  int64_t offset = 0;  ///< bytes added to the address
  uint32_t target = 0; ///< of a Branch: the number of the instruction to go to
  uint32_t line = 0;   ///< of the text
};

/// A parameter, and its place in the bytes of a launch.
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

/// A variable in the memory of the device, with its initial bytes. Whoever loads the module gives it an
/// address.
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
