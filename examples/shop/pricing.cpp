// SPDX-License-Identifier: Apache-2.0
// A pricing service. discount_of() takes its table by value: each call copies it.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

using Table = std::map<std::string, double>;

__attribute__((noinline)) double discount_of(Table table, const std::string& product) {
  const auto found = table.find(product);
  return found == table.end() ? 0 : found->second;
}

__attribute__((noinline)) double price_of_basket(const Table& table, int products) {
  double sum = 0;
  for (int i = 0; i < products; ++i) sum += 100 * (1 - discount_of(table, "product-" + std::to_string(i)));
  return sum;
}

int main(int, char** arguments) {
  Table table;
  for (int i = 0; i < 200; ++i) table["product-" + std::to_string(i)] = (i % 30) / 100.0;
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  ::setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(arguments[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(server, 64) != 0) return 1;
  while (true) {
    const int client = ::accept(server, nullptr, nullptr);
    if (client < 0) continue;
    char request[2048];
    if (::read(client, request, sizeof request) > 0) {
      const std::string body = std::to_string(price_of_basket(table, 200)) + "\n";
      const std::string answer =
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
      if (::write(client, answer.data(), answer.size()) < 0) std::abort();
    }
    ::close(client);
  }
}
