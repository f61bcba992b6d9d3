// SPDX-License-Identifier: Apache-2.0
#include "cli/view_options.h"

#include <gtest/gtest.h>

#include <set>

#include "support/view_samples.h"

namespace atys::cli {

namespace {

using reduce::Form;
using verbs::Skin;
using verbs::ViewField;

std::set<std::string> options_of(const CLI::App& app) {
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  return names;
}

std::set<std::string> offered(bool filter_only) {
  std::set<std::string> names;
  for (const ViewField& field : verbs::view_fields())
    if (is_offered(field, Skin::CommandLine) && (!filter_only || is_of_filter(field))) names.insert(option_name(field));
  return names;
}

std::unique_ptr<CLI::App> empty_app() {
  auto app = std::make_unique<CLI::App>();
  app->set_help_flag();
  return app;
}

}  // namespace

TEST(view_options, are_the_fields_that_are_not_hidden) {
  const auto view_app = empty_app(), filter_app = empty_app();
  ViewFlags view;
  FilterFlags filter;
  view.define(*view_app, {Form::Table, Form::Tree});
  filter.define(*filter_app);
  EXPECT_EQ(options_of(*view_app), offered(false));
  EXPECT_EQ(options_of(*filter_app), offered(true));
  EXPECT_GT(offered(false).size(), offered(true).size());
}

TEST(view_options, set_what_the_fields_say) {
  for (const ViewField& field : verbs::view_fields()) {
    if (!is_offered(field, Skin::CommandLine)) continue;
    const auto app = empty_app();
    ViewFlags flags;
    flags.define(*app, {Form::Table, Form::Tree});
    const std::string value = test::sample_of(field);
    std::vector<std::string> words = {option_name(field)};  // from the back
    if (field.type != verbs::FieldType::Flag) words.insert(words.begin(), value);
    app->parse(words);
    const auto view = flags.parse();
    ASSERT_TRUE(view.ok()) << field.name << ": " << view.error().message;
    EXPECT_EQ(field.told(*view), std::vector<std::string>{value}) << field.name;
  }
}

TEST(view_options, have_the_first_form_of_the_verb_where_none_is_said) {
  const auto app = empty_app();
  ViewFlags flags;
  flags.define(*app, {Form::Brief, Form::Table});
  EXPECT_EQ(flags.parse()->form, Form::Brief);
  EXPECT_EQ(app->get_option("--form")->get_default_str(), "brief");
}

}  // namespace atys::cli
