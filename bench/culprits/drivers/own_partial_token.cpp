// SPDX-License-Identifier: Apache-2.0
// Bytes come in pieces, and a token that is not whole yet is scanned again from its start with each piece.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static bool fixed = false;

struct Scanner {
  std::string buffer;
  size_t looked_at = 0;
  std::vector<size_t> tokens;
};

size_t find_end(const std::string& buffer, size_t from) {
  bool quoted = false;
  for (size_t at = from; at < buffer.size(); at++) {
    if (buffer[at] == '"') quoted = !quoted;
    if (buffer[at] == '>' && !quoted) return at;
  }
  return std::string::npos;
}

void feed(Scanner& scanner, const char* piece, size_t size) {
  scanner.buffer.append(piece, size);
  for (;;) {
    const size_t end = find_end(scanner.buffer, fixed ? scanner.looked_at : 0);
    scanner.looked_at = scanner.buffer.size();
    if (end == std::string::npos) return;
    scanner.tokens.push_back(end);
    scanner.buffer.erase(0, end + 1);
    scanner.looked_at = 0;
  }
}

size_t checksum(const std::string& text) {
  size_t sum = 0;
  for (int turn = 0; turn < 40; turn++)
    for (char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  return sum;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  std::string document;
  for (int i = 0; i < 20000; i++) document += "<a n=" + std::to_string(i) + ">";
  document += "<long " + std::string(1200000, 'x') + ">";
  Scanner scanner;
  for (size_t at = 0; at < document.size(); at += 512)
    feed(scanner, document.data() + at, std::min<size_t>(512, document.size() - at));
  std::printf("%zu %zu\n", scanner.tokens.size(), checksum(document));
}
