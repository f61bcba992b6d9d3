// SPDX-License-Identifier: Apache-2.0
// A checkout service. Each order gets an identifier for every item although one for the order would do: the time is seen in
// java.util.UUID, the reason for it is itemIds().
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;

public final class Checkout {
  static List<String> itemIds(int items) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < items; i++) ids.add(UUID.randomUUID().toString());
    return ids;
  }

  static long total(List<String> ids) {
    long sum = 0;
    for (String id : ids) sum += Math.abs((long) id.hashCode()) % 1000;
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 64);
    server.createContext("/", exchange -> {
      byte[] body = (total(itemIds(2000)) + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
  }
}
