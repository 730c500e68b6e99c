// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON, whose functions are compiled once, in runtime/base/Json.cpp; precompiled, never included by hand.
#pragma GCC system_header
#include <nlohmann/json.hpp>
#include <string>

extern template class nlohmann::basic_json<>;
namespace nlohmann::detail {
extern template class serializer<nlohmann::json>;
extern template class json_sax_dom_parser<nlohmann::json>;
extern template class json_sax_dom_callback_parser<nlohmann::json>;
extern template class lexer<nlohmann::json, iterator_input_adapter<std::string::const_iterator>>;
extern template class parser<nlohmann::json, iterator_input_adapter<std::string::const_iterator>>;
extern template class lexer<nlohmann::json, iterator_input_adapter<const char *>>;
extern template class parser<nlohmann::json, iterator_input_adapter<const char *>>;
} // namespace nlohmann::detail
