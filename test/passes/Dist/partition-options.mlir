// RUN: not windlass-opt %s --partition="ranks=2 zero=4" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not windlass-opt %s --partition="ranks=0 zero=3" 2>&1 | FileCheck %s --check-prefix=RANKS

// ZERO: error: partition needs ranks >= 1, ZeRO 0 to 3 and a positive bucket size; found ranks 2, zero 4, bucket-bytes 4194304
// RANKS: found ranks 0, zero 3
module {}
