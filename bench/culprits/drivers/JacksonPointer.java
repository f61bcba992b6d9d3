// SPDX-License-Identifier: Apache-2.0
// A pointer into a very deep document is compiled.
import com.fasterxml.jackson.core.JsonPointer;

public class JacksonPointer {
    public static void main(String[] arguments) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < 2_000; i++)
            path.append("/a").append(i % 10);
        long length = 0;
        for (int turn = 0; turn < 1500; turn++)
            length += JsonPointer.compile(path.toString()).toString().length();
        System.out.println(length);
    }
}
