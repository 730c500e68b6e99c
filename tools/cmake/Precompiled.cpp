// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exists so that the precompiled headers have a target to belong to.
