#!/usr/bin/env bash
# Builds Stockfish 18 with a command that prints the static values of positions, some fifty thousand a second on a core with
# ARCH=x86-64-bmi2:
#
#   scripts/labels/static.sh SOURCE     SOURCE: a checkout of the tag sf_18, with the nets that it names in src/
#
# The program then reads "static" and FENs, one a line, to the end of its input. For each position in which the mover is not
# in check it prints a game of one move, in the text form of package lab/games: the position with both counters reset, a
# draw as its result, a legal move, not a capture where there is another, and what its nets say of the position, in centipawns.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/labels/static.sh SOURCE" >&2; exit 2; }
cd "$1/src"
git checkout -q -- engine.cpp engine.h uci.cpp
python3 - <<'P'
def insert(file, before, text):
    source = open(file).read()
    assert source.count(before) == 1, (file, before)
    open(file, "w").write(source.replace(before, text + before))

insert("uci.cpp", '        else if (token == "flip")', '        else if (token == "static")\n            engine.static_values();\n')
insert("engine.h", "    void trace_eval() const;", "    void static_values() const;\n")
insert("engine.cpp", "void Engine::trace_eval() const {", r"""
void Engine::static_values() const {
    auto        accumulators = std::make_unique<Eval::NNUE::AccumulatorStack>();
    auto        caches       = std::make_unique<Eval::NNUE::AccumulatorCaches>(*networks);
    std::string fen;
    while (std::getline(std::cin, fen))
    {
        for (int i = 0; i < 2; ++i)
            fen.erase(fen.rfind(' '));
        StateInfo st;
        Position  p;
        p.set(fen += " 0 1", false, &st);
        MoveList<LEGAL> moves(p);
        if (p.checkers() || moves.size() == 0)
            continue;
        Move best = *moves.begin();
        for (Move m : moves)
            if (!p.capture(m) && m.type_of() == NORMAL)
                best = m;
        accumulators->reset();
        int cp = UCIEngine::to_cp(Eval::evaluate(*networks, p, *accumulators, *caches, VALUE_ZERO), p);
        std::printf("%s;0.5;%s:%d\n", fen.c_str(), UCIEngine::move(best, false).c_str(), cp);
    }
}

""")
insert("engine.cpp", "#include <cassert>", "#include <cstdio>\n#include <iostream>\n#include <memory>\n")
insert("engine.cpp", '#include "misc.h"', '#include "movegen.h"\n')
P
make -j"$(nproc)" build ARCH="${ARCH:-x86-64-modern}" COMP=gcc >build.log 2>&1 || { tail -5 build.log >&2; exit 1; }
echo "$PWD/stockfish"
