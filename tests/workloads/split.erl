#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%% Truth: six of ten pieces of work are of sixty/2, three of thirty/2, one of ten/2. The loops are the same, so their turns are the truth.
%%
%%   split.erl SECONDS
-module(split).
-mode(compile).
-export([main/1, sixty/2, thirty/2, ten/2]).

sixty(0, X) -> X;
sixty(Turns, X) -> sixty(Turns - 1, (X * 1103515245 + Turns) band 16#7FFFFFFF).  % hot sixty

thirty(0, X) -> X;
thirty(Turns, X) -> thirty(Turns - 1, (X * 1103515245 + Turns) band 16#7FFFFFFF).  % hot thirty

ten(0, X) -> X;
ten(Turns, X) -> ten(Turns - 1, (X * 1103515245 + Turns) band 16#7FFFFFFF).  % hot ten

work(Until, Units) ->
    case erlang:monotonic_time(millisecond) < Until of
        false -> Units;
        true -> work(Until, lists:foldl(fun piece/2, Units, [rand:uniform(10) || _ <- lists:seq(1, 10)]))
    end.

piece(Which, {Sixty, Thirty, Ten}) ->
    Turns = 10000 + rand:uniform(20000),
    if
        Which =< 6 -> sixty(Turns, 60), {Sixty + Turns, Thirty, Ten};
        Which =< 9 -> thirty(Turns, 30), {Sixty, Thirty + Turns, Ten};
        true -> ten(Turns, 10), {Sixty, Thirty, Ten + Turns}
    end.

main(Arguments) ->
    Seconds = case Arguments of [Text | _] -> list_to_integer(Text); [] -> 2 end,
    rand:seed(exsss, {42, 42, 42}),
    {Sixty, Thirty, Ten} = work(erlang:monotonic_time(millisecond) + Seconds * 1000, {0, 0, 0}),
    Truth = io_lib:format("{\"work\": ~b, \"units\": {\"sixty\": ~b, \"thirty\": ~b, \"ten\": ~b}}~n",
                          [Sixty + Thirty + Ten, Sixty, Thirty, Ten]),
    case os:getenv("WORKLOAD_TRUTH") of
        false -> io:put_chars(Truth);
        Path -> ok = file:write_file(Path, Truth)
    end.
