// What stands in an array before anybody has written to it: an element that nobody writes must show.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace pw::verify {

/// Fills the elements of a NumPy dtype: floats and complex numbers with a NaN that arithmetic does not make
/// (all bits set), all others with bytes 0xA5.
void poison(std::string_view dtype, std::span<std::byte> bytes);

/// The first element that is still as `poison` left it, of dtypes that have a NaN. Others have no value of
/// their own for it: comparing them with the reference says all.
std::optional<std::size_t> first_unwritten(std::string_view dtype, std::span<const std::byte> bytes);

/// Array parameters of the entry that the kernel stores to and never reads before it has stored there: what
/// they hold at the start cannot matter. Positions among the parameters. An array of which that is not seen
/// is left out.
std::vector<std::size_t> overwritten(const ir::Module& module);

}  // namespace pw::verify
