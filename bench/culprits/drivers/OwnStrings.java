// SPDX-License-Identifier: Apache-2.0
// A table is written by adding to a string, which is copied each time.
import java.util.*;

public class OwnStrings {
    static boolean fixed;

    static String writeTable(List<double[]> rows) {
        if (fixed) {
            StringBuilder text = new StringBuilder();
            for (double[] row : rows)
                text.append(row[0]).append(';').append(row[1]).append('\n');
            return text.toString();
        }
        String text = "";
        for (double[] row : rows)
            text += row[0] + ";" + row[1] + "\n";
        return text;
    }

    static List<double[]> compute(int count) {
        List<double[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++)
            rows.add(new double[] {Math.sin(i), Math.sqrt(i) * Math.cos(i)});
        rows.sort(Comparator.comparingDouble(row -> row[1]));
        return rows;
    }

    public static void main(String[] arguments) {
        fixed = arguments.length > 0 && arguments[0].equals("fixed");
        long length = 0;
        for (int turn = 0; turn < 4; turn++)
            length += writeTable(compute(11_000)).length() + compute(120_000).size();
        System.out.println(length);
    }
}
