// SPDX-License-Identifier: Apache-2.0
#include "cli/view_options.h"

#include "base/utc_time.h"
#include "cli/choices.h"
#include "format/format.h"
#include "reduce/pattern.h"

namespace atys::cli {

std::vector<std::string> dimensions() { return {"function", "line", "file", "module", "thread", "label:"}; }

namespace {

std::vector<std::string> written_formats() {
  std::vector<std::string> names;
  for (const auto& format : format::all_formats())
    if (format->descriptor().can_write) names.emplace_back(format->descriptor().name);
  return names;
}

}  // namespace

void FilterFlags::define(CLI::App& app) {
  app.add_option("--focus", focus_, "Only samples with a function, file or module that matches")
      ->type_name("RE")
      ->group("Filter");
  app.add_option("--ignore", ignore_, "No samples with a function, file or module that matches")
      ->type_name("RE")
      ->group("Filter");
  app.add_option("--label", labels_, "Only samples whose label K has a value that matches all of RE; may repeat")
      ->type_name("K=RE")
      ->allow_extra_args(false)
      ->group("Filter");
  app.add_option("--from", from_, "Only samples from then on (2026-11-15T02:00:00Z, or Unix seconds)")
      ->type_name("TIME")
      ->group("Filter");
  app.add_option("--until", to_, "Only samples before then")->type_name("TIME")->group("Filter");
}

Result<reduce::FilterOptions> FilterFlags::parse() const {
  reduce::FilterOptions options{.focus = focus_, .ignore = ignore_};
  TRY(reduce::Pattern::compile(focus_));
  TRY(reduce::Pattern::compile(ignore_));
  for (const std::string& label : labels_) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::InvalidInput, "bad label condition '" + label + "': no '='", "write --label KEY=PATTERN");
    }
    if (equals == 0)
      return fail(ErrorCode::InvalidInput, "bad label condition '" + label + "': no key", "write --label KEY=PATTERN");
    options.labels.push_back({label.substr(0, equals), label.substr(equals + 1)});
    TRY(reduce::Pattern::compile(options.labels.back().pattern));
  }
  if (!from_.empty()) options.from_ns = TRY(parse_time(from_));
  if (!to_.empty()) options.to_ns = TRY(parse_time(to_));
  return options;
}

void ViewFlags::define(CLI::App& app, const std::vector<std::string>& forms) {
  app.add_option("--form", view_.form, "Form of the answer: " + joined(forms))
      ->type_name("FORM")
      ->capture_default_str()
      ->transform(one_of(forms));
  app.add_option("--by", view_.by, "Group by function, line, file, module, thread or label:KEY")
      ->type_name("DIMENSION")
      ->capture_default_str()
      ->check(offers(dimensions()));
  app.add_option("--top", top_, "Rows to show (default " + std::to_string(verbs::kDefaultRows) + ")")
      ->type_name("K")
      ->check(positive());
  app.add_option("--value", view_.value, "Value type to look at (default: the profile's own)")->type_name("TYPE");
  app.add_option("--max-tokens", max_tokens_, "Bound on the length of the answer, in tokens of a language model")
      ->type_name("N")
      ->check(positive());
  app.add_flag("--full-names", view_.full_names, "Rather leave out rows than shorten names");
  app.add_option("--own", view_.own_code.own,
                 "Functions whose name, file, module or build id matches are your own code; may repeat")
      ->type_name("RE")
      ->allow_extra_args(false)
      ->group("Own code");
  app.add_option("--library", view_.own_code.library, "The same of libraries; may repeat")
      ->type_name("RE")
      ->allow_extra_args(false)
      ->group("Own code");
  filter_.define(app);
}

Result<verbs::View> ViewFlags::parse() const {
  verbs::View view = view_;
  TRY(reduce::parse_dimension(view.by));
  view.filter = TRY(filter_.parse());
  TRY(reduce::OwnCode::compile(view.own_code));
  if (top_ > 0) view.top = top_;
  if (max_tokens_ > 0) view.max_tokens = max_tokens_;
  TRY(verbs::bounds_of(view));
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
