# SPDX-License-Identifier: Apache-2.0
"""A busy target: rounds of work, and how much CPU time they took, in a file."""
import sys
import time


def squares(n):
    return sum(i * i for i in range(n))


def words(n):
    return len(" ".join(str(i) for i in range(n)).split())


def serve(n):
    return squares(n) + words(n // 4)


def main(path):
    rounds = 0
    with open(path, "w") as file:
        while True:
            serve(2000)
            rounds += 1
            if rounds % 20 == 0:
                file.seek(0)
                file.write(f"{rounds} {time.process_time_ns()}\n")
                file.flush()


main(sys.argv[1])
