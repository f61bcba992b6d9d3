// SPDX-License-Identifier: Apache-2.0
#include "cli/view_options.h"

#include "base/strings.h"
#include "cli/choices.h"
#include "format/format.h"

namespace atys::cli {

namespace {

using verbs::FieldType;
using verbs::ViewField;

std::vector<std::string> written_formats() {
  std::vector<std::string> names;
  for (const auto& format : format::all_formats())
    if (format->descriptor().can_write) names.emplace_back(format->descriptor().name);
  return names;
}

// What it does, with what holds where nothing is said and CLI11 does not say it.
std::string help_of(const ViewField& field, const std::vector<reduce::Form>& forms) {
  std::string text(field.text);
  if (field.type == FieldType::Form) text += ": " + joined(names_of(forms));
  if (field.type == FieldType::Number && !field.preset.empty()) text += " (default " + std::string(field.preset) + ")";
  return text + (field.is_repeated ? "; may repeat" : "");
}

}  // namespace

void FieldFlags::define(CLI::App& app, const ViewField& field, const std::vector<reduce::Form>& forms) {
  if (!is_offered(field, verbs::Skin::CommandLine)) return;
  Given& given = given_.emplace_back(Given{.field = &field, .text = std::string(field.preset)});
  const std::string name = option_name(field);
  const std::string help = help_of(field, forms);
  CLI::Option* option = nullptr;
  if (field.type == FieldType::Flag) {
    option = app.add_flag(name, given.is_set, help);
  } else if (field.is_repeated) {
    option = app.add_option(name, given.texts, help)->allow_extra_args(false);
  } else {
    option = app.add_option(name, given.text, help);
  }
  if (field.type == FieldType::Number) {
    given.text.clear();
    option->check(positive());
  }
  if (field.type == FieldType::Form) {
    given.text = to_string(forms.front());
    option->transform(one_of(names_of(forms)));
  }
  if (!given.text.empty()) option->capture_default_str();
  if (!field.value.empty()) option->type_name(std::string(field.value));
  if (!field.offered.empty()) option->check(offers(field.offered));
  if (!field.group.empty()) option->group(std::string(field.group));
}

Result<> FieldFlags::set(verbs::View& view) const {
  for (const Given& given : given_) {
    if (given.is_set) TRY(given.field->set(view, "true"));
    if (!given.text.empty()) TRY(given.field->set(view, given.text));
    for (const std::string& text : given.texts) TRY(given.field->set(view, text));
  }
  return {};
}

void FilterFlags::define(CLI::App& app) {
  for (const ViewField& field : verbs::view_fields())
    if (is_of_filter(field)) fields_.define(app, field, {});
}

Result<reduce::FilterOptions> FilterFlags::parse() const {
  verbs::View view;
  TRY(fields_.set(view));
  return view.filter;
}

void ViewFlags::define(CLI::App& app, const std::vector<reduce::Form>& forms) {
  for (const ViewField& field : verbs::view_fields()) fields_.define(app, field, forms);
}

Result<verbs::View> ViewFlags::parse() const {
  verbs::View view;
  TRY(fields_.set(view));
  return view;
}

CLI::Option* MapFlags::define(CLI::App& app) {
  return app
      .add_option(
          "--map", maps_,
          "What begins with OLD on the first side is what begins with NEW on the second: folders, modules, packages; "
          "may repeat")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
}

Result<std::vector<reduce::PathMap>> MapFlags::parse() const {
  std::vector<reduce::PathMap> maps;
  for (const std::string& text : maps_) maps.push_back(TRY(reduce::parse_path_map(text)));
  return maps;
}

void OutputFlags::define(CLI::App& app, const std::string& without_output) {
  app.add_option("-o,--output", output_.path, "File to write, - for standard output (default: " + without_output + ")")
      ->type_name("FILE");
  app.add_option("--to", output_.format, "Format to write (default: by the extension of FILE)")
      ->type_name("FORMAT")
      ->check(offers(written_formats()));
  app.add_option("--value", output_.value, "Value type, for formats that hold only one")->type_name("TYPE");
}

std::vector<std::string> notes_on(const verbs::WrittenProfile& written) {
  if (written.left_out.empty()) return {};
  std::string list;
  for (const std::string& part : written.left_out) list += (list.empty() ? "" : ", ") + part;
  return {"note: " + written.format + " cannot hold all of it; left out: " + list};
}

}  // namespace atys::cli
