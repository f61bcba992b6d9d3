// SPDX-License-Identifier: Apache-2.0
// Marks of emphasis are paired: for each that closes, the stack of those that may open is searched to its bottom.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static bool fixed = false;

struct Mark {
  char kind;
  bool opens;
  bool used;
  size_t position;
};

std::vector<Mark> find_marks(const std::string& text) {
  std::vector<Mark> marks;
  for (size_t at = 0; at < text.size(); at++)
    if (text[at] == '*' || text[at] == '_')
      marks.push_back({text[at], at + 1 < text.size() && text[at + 1] != ' ', false, at});
  return marks;
}

size_t pair_marks(std::vector<Mark>& marks) {
  size_t pairs = 0, bottom[2] = {0, 0};
  for (size_t closing = 0; closing < marks.size(); closing++) {
    if (marks[closing].opens) continue;
    size_t& low = bottom[marks[closing].kind == '*'];
    bool found = false;
    for (size_t opening = closing; opening-- > low && !found;)
      if (marks[opening].opens && !marks[opening].used && marks[opening].kind == marks[closing].kind)
        found = marks[opening].used = true;
    if (fixed && !found) low = closing;
    pairs += found;
  }
  return pairs;
}

std::string render(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? std::string("&lt;") : c == '&' ? std::string("&amp;") : std::string(1, c);
  return out;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  std::string text;
  for (int i = 0; i < 26000; i++) text += "*a_ b";
  size_t length = 0, pairs = 0;
  for (int turn = 0; turn < 60; turn++) length += render(text).size();
  auto marks = find_marks(text);
  for (int turn = 0; turn < 3; turn++) pairs += pair_marks(marks);
  std::printf("%zu %zu\n", length, pairs);
}
