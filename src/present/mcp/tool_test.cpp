// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/tool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "present/mcp/arguments.h"
#include "present/mcp/resources.h"
#include "present/mcp/tools/view_arguments.h"
#include "present/mcp/worker.h"
#include "verbs/follow_up.h"

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
  const std::string name = "it's <a \"name\">";
  const auto calls =
      as_calls({"atys summary abc123 --form tree --top 5", "atys summary f.pb --focus " + verbs::quote_for_shell(name),
                "atys diff a1 b2 --total", "atys flame abc123", "atys summary x --unknown 1",
                "atys diff a1 b2 --map /old=/new --map 'a b=c'"});
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[3], R"(profile_diff {"base":"a1","map":["/old=/new","a b=c"],"new":"b2"})");
  EXPECT_EQ(calls[0], R"(profile_summary {"form":"tree","profile":"abc123","top":5})");
  const Json second = Json::parse(calls[1].substr(calls[1].find('{')));
  EXPECT_EQ(second["focus"], name);
  EXPECT_TRUE(check_arguments(input_schema(tool("profile_summary").describe()), second).ok());
  EXPECT_EQ(calls[2], R"(profile_diff {"base":"a1","new":"b2","total":true})");
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
