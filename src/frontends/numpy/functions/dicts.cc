// Methods of Python's dicts.
#include "frontends/numpy/functions/functions.h"
#include "frontends/numpy/indexing.h"

namespace pw::numpy::functions {

namespace {

Value list_of(std::vector<Value> items) {
  return value(List{std::make_shared<std::vector<Value>>(std::move(items))});
}

}  // namespace

Result<Value> dict_items(Stager&, const Arguments& arguments) {
  std::vector<Value> out;
  for (const auto& [key, item] : *required(arguments, 0, "self").as<Dict>()->items) {
    out.push_back(value(Tuple{{key, item}}));
  }
  return list_of(std::move(out));
}

Result<Value> dict_keys(Stager&, const Arguments& arguments) {
  std::vector<Value> out;
  for (const auto& [key, item] : *required(arguments, 0, "self").as<Dict>()->items) out.push_back(key);
  return list_of(std::move(out));
}

Result<Value> dict_values(Stager&, const Arguments& arguments) {
  std::vector<Value> out;
  for (const auto& [key, item] : *required(arguments, 0, "self").as<Dict>()->items) out.push_back(item);
  return list_of(std::move(out));
}

Result<Value> dict_get(Stager& stager, const Arguments& arguments) {
  const std::vector<std::pair<Value, Value>>& items = *required(arguments, 0, "self").as<Dict>()->items;
  const Value& key = required(arguments, 1, "key");
  const Value* given_default = arguments.find(2, "default");
  const Value otherwise = given_default == nullptr ? value(None{}) : *given_default;
  std::vector<Value> keys = {key};
  if (const auto* one = key.as<OneOf>()) {
    keys.clear();
    for (const std::string& text : one->texts) keys.push_back(value(text));
  }
  Dict found{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (const Value& each : keys) {
    PW_TRY(const std::optional<std::size_t> at, key_position(stager, items, each, arguments.span));
    found.items->emplace_back(each, at ? items[*at].second : otherwise);
  }
  return key.is<OneOf>() ? stager.subscript(value(std::move(found)), key, arguments.span)
                         : Result<Value>(found.items->front().second);
}

}  // namespace pw::numpy::functions
