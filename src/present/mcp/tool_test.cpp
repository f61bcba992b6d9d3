// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/tool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "present/mcp/arguments.h"
#include "present/mcp/follow_up_call.h"
#include "present/mcp/resources.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/mcp/worker.h"
#include "support/view_samples.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/view_fields.h"

namespace atys::present::mcp {

namespace {

const Tool& tool(const std::string& name) {
  static const auto kTools = all_tools();
  return **std::ranges::find_if(kTools, [&](const auto& each) { return each->describe().name == name; });
}

verbs::Permission permission_in(const std::string& folder) { return *verbs::Permission::create({.trees = {folder}}, "/"); }

TEST(mcp_tools, have_names_that_every_client_takes_and_schemas_with_an_object_at_the_root) {
  std::set<std::string> names;
  for (const auto& each : all_tools()) {
    const Json shown = to_json(each->describe());
    const std::string name = shown["name"];
    EXPECT_TRUE(std::regex_match(name, std::regex("[a-zA-Z0-9_-]{1,64}"))) << name;
    EXPECT_TRUE(names.insert(name).second);
    EXPECT_EQ(shown["inputSchema"]["type"], "object") << name;
    EXPECT_EQ(shown["outputSchema"]["type"], "object") << name;
    EXPECT_TRUE(shown["outputSchema"].contains("properties")) << name;
    for (const auto& [key, property] : shown["inputSchema"]["properties"].items())
      EXPECT_TRUE(property.contains("type") && property.contains("description")) << name << "." << key;
  }
  EXPECT_TRUE(names.contains("profile_capture"));
}

// Every session pays for the list before it has asked anything. Real tokenizers count it in tests/interop/tokens_peer.mjs.
TEST(mcp_tools, are_listed_in_few_words) {
  size_t bytes = 0;
  for (const auto& each : all_tools()) bytes += to_json(each->describe()).dump().size();
  EXPECT_LT(bytes, 15'000u);
}

TEST(mcp_tools, have_bounds_that_are_held_though_not_listed) {
  const ToolDescription summary = tool("profile_summary").describe();
  EXPECT_FALSE(to_json(summary)["inputSchema"]["properties"]["top"].contains("maximum"));
  EXPECT_FALSE(check_arguments(input_schema(summary), {{"profile", "abcdef"}, {"top", 10'001}}).ok());
}

TEST(mcp_tools, take_every_field_of_a_view_that_is_not_hidden) {
  const Json properties = with_view(Json::object(), {reduce::Form::Brief, reduce::Form::Tree});
  for (const verbs::ViewField& field : verbs::view_fields()) {
    const std::string name(field.name);
    ASSERT_EQ(properties.contains(name), is_offered(field, verbs::Skin::Tools)) << name;
    if (!properties.contains(name)) continue;
    const std::string text = test::sample_of(field);
    const std::string type = properties[name]["type"];
    Json value = type == "string" ? Json(text) : type == "array" ? Json::array({text}) : Json::parse(text);
    EXPECT_TRUE(check_arguments({{"properties", properties}}, {{name, value}}).ok()) << name;
    const auto view = view_of({{name, value}}, {}, reduce::Form::Brief);
    ASSERT_TRUE(view.ok()) << name << ": " << view.error().message;
    EXPECT_EQ(field.told(*view), std::vector<std::string>{text}) << name;
  }
  EXPECT_EQ(view_of(Json::object(), {}, reduce::Form::Brief)->form, reduce::Form::Brief);
  EXPECT_EQ(view_of(Json::object(), {}, reduce::Form::Brief)->max_tokens, 1000u);
}

TEST(mcp_tools, take_one_text_for_a_list_of_one) {
  const Json properties = with_view({{"command", command_property("")}}, {reduce::Form::Table});
  EXPECT_EQ(with_lists(properties, {{"label", "a=b"}, {"command", "x"}, {"focus", "f"}}),
            Json({{"label", {"a=b"}}, {"command", "x"}, {"focus", "f"}}));
}

TEST(mcp_tools, ask_the_fleet_only_where_the_operator_says_so) {
  const auto said = [](const verbs::AllowList& list, const char* name, const Json& arguments) {
    const verbs::Permission permission = *verbs::Permission::create(list, "/");
    return call_tool(tool(name), arguments, {.permission = &permission})["content"][0]["text"].get<std::string>();
  };
  const std::string shop = "service:shop{version=1,node=a}@-1h..";
  ::setenv("ATYS_CONTROLLER", "http://127.0.0.1:1", 1);
  for (const auto& [name, arguments] :
       std::map<const char*, Json>{{"profile_services", Json::object()},
                                   {"profile_summary", {{"profile", shop}}},
                                   {"profile_diff", {{"base", shop + "," + shop}, {"new", "abcdef"}}},
                                   {"profile_link", {{"profile", "profile://" + shop}, {"behind", "f"}}}}) {
    EXPECT_NE(said({}, name, arguments).find("--allow-fleet"), std::string::npos) << name;
    EXPECT_NE(said({.fleet = true}, name, arguments).find("no controller answers"), std::string::npos) << name;
    EXPECT_NE(said({.any = true}, name, arguments).find("no controller answers"), std::string::npos) << name;
  }
  ::unsetenv("ATYS_CONTROLLER");
}

TEST(mcp_tools, that_only_read_say_so_and_the_others_do_not) {
  EXPECT_EQ(to_json(tool("profile_summary").describe())["annotations"]["readOnlyHint"], true);
  EXPECT_EQ(to_json(tool("profile_capture").describe())["annotations"]["readOnlyHint"], false);
  EXPECT_EQ(to_json(tool("profile_capture").describe())["annotations"]["destructiveHint"], true);
}

TEST(mcp_tools, wrong_arguments_are_results_with_a_hint) {
  const verbs::Permission permission = permission_in(std::filesystem::temp_directory_path().string());
  const ToolContext context{.permission = &permission};
  const auto text = [&](const char* name, const Json& arguments) {
    const Json result = call_tool(tool(name), arguments, context);
    EXPECT_EQ(result["isError"], true) << arguments;
    EXPECT_FALSE(result.contains("structuredContent"));
    return result["content"][0]["text"].get<std::string>();
  };
  EXPECT_NE(text("profile_summary", Json::object()).find("arguments.profile: is missing"), std::string::npos);
  EXPECT_NE(text("profile_summary", {{"profile", "abcdef"}, {"form", "pie"}}).find("none of brief, table"),
            std::string::npos);
  EXPECT_NE(text("profile_summary", {{"profile", "abcdef"}, {"colour", 1}}).find("it takes"), std::string::npos);
  EXPECT_NE(text("profile_summary", {{"profile", "abcdef"}, {"focus", "("}}).find("("), std::string::npos);
  EXPECT_NE(text("profile_summary", {{"profile", "/etc/passwd"}}).find("--allow-tree"), std::string::npos);
  EXPECT_NE(text("profile_summary", {{"profile", "-"}}).find("no profile"), std::string::npos);
  EXPECT_NE(text("profile_capture", Json::object()).find("exactly one of"), std::string::npos);
  EXPECT_NE(text("profile_capture", {{"pids", {1}}, {"command", {"x"}}}).find("more than one"), std::string::npos);
  EXPECT_NE(text("profile_capture", {{"host", true}}).find("--allow-any"), std::string::npos);
  EXPECT_NE(text("profile_capture", {{"command", {"/bin/true"}}, {"cwd", "/"}}).find("--allow-command"), std::string::npos);
  EXPECT_NE(text("profile_capture", {{"command", {"true"}}, {"seconds", 4000}}).find("--max-duration"), std::string::npos);
}

TEST(mcp_tools, children_have_to_be_allowed_like_processes_that_were_named) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild != 0) (void)!::write(pipe[1], &grandchild, sizeof grandchild);
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(pipe[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  const verbs::Permission permission = *verbs::Permission::create({.pids = {child}}, "/");
  const auto text = [&](const Json& arguments) {
    return call_tool(tool("profile_capture"), arguments, {.permission = &permission})["content"][0]["text"]
        .get<std::string>();
  };
  const std::string refused = "may not record process " + std::to_string(grandchild);
  EXPECT_NE(text({{"pids", {child}}, {"children", true}}).find(refused), std::string::npos);
  EXPECT_NE(text({{"command", {"true"}}, {"children", true}}).find("children goes with pids"), std::string::npos);
  for (const pid_t pid : {grandchild, child}) ::kill(pid, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const int fd : pipe) ::close(fd);
}

TEST(mcp_tools, each_of_several_runs_has_to_be_allowed) {
  std::string name = (std::filesystem::temp_directory_path() / "atys-runs-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  std::filesystem::create_directories(folder / "x,/etc");
  std::ofstream(folder / "x,/etc/passwd") << "main 1\n";
  const verbs::Permission permission = permission_in(folder.string());
  for (const std::string& both : {folder.string() + "/x,/etc/passwd", std::string("abcdef,/etc/passwd")}) {
    const Json result = call_tool(tool("profile_diff"), {{"base", both}, {"new", "abcdef"}}, {.permission = &permission});
    const std::string text = result["content"][0]["text"];
    EXPECT_TRUE(text.starts_with("no profile or file") || text.starts_with("may not read /etc/passwd")) << text;
  }
  std::filesystem::remove_all(folder);
}

TEST(mcp_tools, take_maps_of_folders_where_two_sides_are_compared) {
  std::string name = (std::filesystem::temp_directory_path() / "atys-maps-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  std::ofstream(folder / "a.collapsed") << "f (/w/alpha/x.py) 70\nf (/w/beta/x.py) 30\n";
  std::ofstream(folder / "b.collapsed") << "f (/w/gamma/y.py) 70\nf (/w/beta/x.py) 30\n";
  const verbs::Permission permission = permission_in(folder.string());
  Json arguments = {{"base", (folder / "a.collapsed").string()}, {"new", (folder / "b.collapsed").string()}};
  const auto matched = [&] {
    const Json result = call_tool(tool("profile_diff"), arguments, {.permission = &permission});
    return result["structuredContent"]["matching"]["only_base"].get<int>();
  };
  EXPECT_EQ(matched(), 1);
  arguments["map"] = {"/w/alpha/x.py=/w/gamma/y.py"};
  EXPECT_EQ(matched(), 0);
  arguments["map"] = {"no map"};
  EXPECT_EQ(call_tool(tool("profile_diff"), arguments, {.permission = &permission})["isError"], true);
  EXPECT_TRUE(tool("profile_compare").describe().properties.contains("map"));
  std::filesystem::remove_all(folder);
}

TEST(mcp_arguments, are_checked_all_the_way_down) {
  const Json schema = {
      {"type", "object"},
      {"properties", {{"list", {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}, {"maxItems", 2}}}}}};
  EXPECT_TRUE(check_arguments(schema, {{"list", {1, 2}}, {"more", 1}}).ok());
  EXPECT_FALSE(check_arguments(schema, {{"list", {1, 0}}}).ok());
  EXPECT_FALSE(check_arguments(schema, {{"list", {1, 2, 3}}}).ok());
  EXPECT_FALSE(check_arguments(schema, {{"list", {1, 1.5}}}).ok());
  EXPECT_FALSE(check_arguments(schema, Json::array()).ok());
}

TEST(mcp_follow_ups, are_calls_that_the_tool_takes) {
  using verbs::FollowUp;
  using verbs::Question;
  const std::string name = "it's <a \"name\">";
  verbs::View tree{.form = reduce::Form::Tree};
  tree.top = 5;
  EXPECT_EQ(call_of({Question::Summary, {"abc123"}, tree}), R"(profile_summary {"form":"tree","profile":"abc123","top":5})");
  EXPECT_EQ(call_of({Question::Diff, {"a1", "b2"}, {.form = reduce::Form::Brief}, {{"/old", "/new"}, {"a b", "c"}}}),
            R"(profile_diff {"base":"a1","map":["/old=/new","a b=c"],"new":"b2"})");
  EXPECT_EQ(call_of({Question::Link, {"a1"}, {}, {}, "^f$"}), R"(profile_link {"behind":"^f$","profile":"a1"})");
  verbs::View focused{.form = reduce::Form::Brief};
  focused.filter.focus = name;
  const std::string call = call_of({Question::Summary, {"f.pb"}, focused});
  const Json arguments = Json::parse(call.substr(call.find('{')));
  EXPECT_EQ(arguments["focus"], name);
  EXPECT_TRUE(check_arguments(input_schema(tool("profile_summary").describe()), arguments).ok());
}

// What a tool answers in by itself is another form than that of the command line.
TEST(mcp_follow_ups, name_their_form_where_the_tool_would_take_another) {
  using verbs::Question;
  for (const Question question : {Question::Summary, Question::Diff, Question::Link}) {
    const Json schema = input_schema(tool(std::string("profile_") + to_string(question)).describe());
    for (const reduce::Form form : reduce::kForms) {
      const std::string call = call_of({question, {"a1", "b2"}, {.form = form}});
      const Json arguments = Json::parse(call.substr(call.find('{')));
      EXPECT_EQ(arguments.value("form", schema["properties"]["form"]["default"]), to_string(form)) << call;
    }
  }
}

TEST(mcp_follow_ups, have_every_field_of_the_view) {
  using verbs::Question;
  verbs::View view{.form = reduce::Form::Brief};
  view.filter.from_ns = 1'000'000'000;
  view.own_code.own = {"x", "y"};
  view.filter.labels = {{"route", "a"}};
  view.full_names = true;
  const std::string call = call_of({Question::Summary, {"a1"}, view});
  const Json arguments = Json::parse(call.substr(call.find('{')));
  EXPECT_EQ(arguments["label"], "route=a");
  EXPECT_EQ(arguments["own"], Json({"x", "y"}));
  EXPECT_TRUE(arguments["full_names"]);
  EXPECT_TRUE(arguments.contains("from"));
  const ToolDescription summary = tool("profile_summary").describe();
  EXPECT_TRUE(check_arguments(input_schema(summary), with_lists(summary.properties, arguments)).ok());
}

TEST(mcp_resources, that_are_not_there_are_errors_that_name_them) {
  const verbs::Permission permission = permission_in(std::filesystem::temp_directory_path().string());
  for (const char* uri :
       {"test://x", "profile://", "profile:///etc/passwd", "profile://../x", "profile://ffffffffffff", "atys://"}) {
    const Json done = read_resource({{"uri", uri}}, {.permission = &permission});
    EXPECT_EQ(done["error"]["code"], -32602) << uri;
    EXPECT_EQ(done["error"]["data"]["uri"], uri);
  }
  EXPECT_TRUE(read_resource({{"uri", "atys://how-to"}}, {.permission = &permission}).contains("result"));
  EXPECT_TRUE(list_resources({{"cursor", "x"}}).contains("error"));
}

TEST(mcp_worker, output_of_commands_is_quoted_line_by_line) {
  EXPECT_EQ(quoted_lines("a\n\x1b[31mb\xff\n"), "| a\n|  [31mb\xEF\xBF\xBD\n");
  EXPECT_EQ(quoted_lines(""), "");
}

}  // namespace

}  // namespace atys::present::mcp
