// SPDX-License-Identifier: Apache-2.0
// A service under a load that changes, and that measures itself: four transactions, their mix another one in each phase. Each tenth of a
// second it writes the CPU time that each has taken so far, and the Unix time: the truth.
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

public final class Transactions {
  static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
  static final long[] SPENT = new long[4];
  static final int[][] MIXES = {{6, 2, 3, 1}, {1, 8, 1, 2}, {2, 1, 9, 4}, {9, 1, 1, 8}};
  static volatile long sink;

  static void purchase() {
    Map<Integer, Integer> basket = new HashMap<>();
    for (int i = 0; i < 3000; i++) basket.merge(i % 97, i, Integer::sum);
    sink += basket.size();
  }

  static void checkout() {
    TreeMap<Integer, Integer> order = new TreeMap<>();
    for (int i = 0; i < 800; i++) order.put(i * 31 % 499, i);
    sink += order.firstKey();
  }

  static void audit() {
    long sum = 0;
    for (int i = 0; i < 120000; i++) sum += (i * 2654435761L) >>> 7;
    sink += sum;
  }

  static void report() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1200; i++) text.append(i).append(',');
    sink += text.length();
  }

  static void run(int number) {
    long before = CLOCK.getCurrentThreadCpuTime();
    switch (number) {
      case 0: purchase(); break;
      case 1: checkout(); break;
      case 2: audit(); break;
      default: report();
    }
    SPENT[number] += CLOCK.getCurrentThreadCpuTime() - before;
  }

  public static void main(String[] arguments) throws Exception {
    double seconds = Double.parseDouble(arguments[0]);
    double phase = Double.parseDouble(arguments[1]);
    long began = System.currentTimeMillis();
    long due = began;
    try (PrintWriter log = new PrintWriter(new java.io.FileOutputStream(arguments[2]), true)) {
      for (long now = began; now < began + (long) (seconds * 1000); now = System.currentTimeMillis()) {
        if (now >= due) {
          log.printf("%.3f %.9f %.9f %.9f %.9f%n", now / 1000.0, SPENT[0] / 1e9, SPENT[1] / 1e9, SPENT[2] / 1e9, SPENT[3] / 1e9);
          due += 100;
        }
        int[] mix = MIXES[(int) ((now - began) / 1000.0 / phase) % MIXES.length];
        for (int number = 0; number < 4; number++)
          for (int i = 0; i < mix[number]; i++) run(number);
      }
    }
  }
}
