// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of JSON, compiled once for all that read tools/cmake/JsonPch.h, which are most files. Who
// reads no precompiled headers compiles those that it calls by itself.
#include <nlohmann/json.hpp>
#include <string>

template class nlohmann::basic_json<>;
namespace nlohmann::detail {
template class serializer<nlohmann::json>;
template class json_sax_dom_parser<nlohmann::json>;
template class json_sax_dom_callback_parser<nlohmann::json>;
template class lexer<nlohmann::json, iterator_input_adapter<std::string::const_iterator>>;
template class parser<nlohmann::json, iterator_input_adapter<std::string::const_iterator>>;
template class lexer<nlohmann::json, iterator_input_adapter<const char *>>;
template class parser<nlohmann::json, iterator_input_adapter<const char *>>;
} // namespace nlohmann::detail
