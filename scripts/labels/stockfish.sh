#!/usr/bin/env bash
# Builds Stockfish 15.1 with a command that labels positions in bulk, some forty thousand a second on a core with
# ARCH=x86-64-vnni512:
#
#   scripts/labels/stockfish.sh SOURCE     SOURCE: a checkout of the tag sf_15.1, with the net that it names in src/
#
# The program then reads "label DEPTH" and FENs, one a line, to the end of its input. It searches each position on the spot;
# depth 1 is its quiescence search. Where the best move is a capture or promotion, or the mover in check, it makes the move and
# searches again, at most six times. What it prints are games of one move, in the text form of package lab/games: the quiet
# position, a result drawn at random from the score, as datagen has it, a move, and the score in centipawns.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/labels/stockfish.sh SOURCE" >&2; exit 2; }
cd "$1/src"
git checkout -q -- search.cpp search.h uci.cpp
python3 - <<'P'
def insert(file, before, text):
    source = open(file).read()
    assert source.count(before) == 1, (file, before)
    open(file, "w").write(source.replace(before, text + before))

insert("search.h", "void clear();", "Value label(Position& pos, int depth, Move& best);\n")
insert("search.cpp", "void MainThread::search() {", r"""
// Searches pos on the calling thread, one depth after the other.
Value Search::label(Position& pos, int depth, Move& best) {
  Stack stack[MAX_PLY + 10] = {}, *ss = stack + 7;
  Move pv[MAX_PLY + 1];
  Thread* th = pos.this_thread();
  for (int i = 7; i > 0; --i)
      (ss - i)->continuationHistory = &th->continuationHistory[0][0][NO_PIECE][0], (ss - i)->staticEval = VALUE_NONE;
  for (int i = 0; i <= MAX_PLY + 2; ++i)
      (ss + i)->ply = i + 1;
  ss->pv = pv;
  th->nodes = 0, th->rootDelta = 2 * VALUE_INFINITE, th->optimism[WHITE] = th->optimism[BLACK] = VALUE_ZERO;
  th->previousDepth = 0, th->nmpMinPly = 0;
  Threads.stop = false;
  TT.new_search();
  Value v = VALUE_ZERO;
  best = MOVE_NONE;
  for (int d = 1; d <= depth; ++d)
  {
      th->rootDepth = d;
      pv[0] = MOVE_NONE;
      v = Stockfish::search<PV>(pos, ss, -VALUE_INFINITE, VALUE_INFINITE, d, false);
      if (pv[0] != MOVE_NONE)
          best = pv[0];
  }
  return v;
}

""")
insert("uci.cpp", '      else if (token == "ucinewgame") Search::clear();', r"""
      else if (token == "label")
      {
          int depth = 1;
          is >> depth;
          PRNG random(1);
          string fen;
          Move best;
          StateInfo first, next[6];
          while (getline(cin, fen))
          {
              pos.set(fen, false, &first, Threads.main());
              for (int i = 0; i < 6 && MoveList<LEGAL>(pos).size(); ++i)
              {
                  Value v = Search::label(pos, depth, best);
                  if (abs(v) >= VALUE_TB_WIN_IN_MAX_PLY)
                      break;
                  if (best == MOVE_NONE) // it stands pat: any quiet move will do
                      for (const auto& m : MoveList<LEGAL>(pos))
                          if (!pos.capture(m) && type_of(Move(m)) != PROMOTION)
                              best = m;
                  if (best == MOVE_NONE)
                      break;
                  if (pos.checkers() || pos.capture(best) || type_of(best) == PROMOTION)
                  {
                      pos.do_move(best, next[i]);
                      continue;
                  }
                  int cp = int(v) * 100 / UCI::NormalizeToPawnValue;
                  double e = 1 / (1 + exp(-cp / 350.0)), x = (random.rand<uint64_t>() >> 11) * 0x1p-53;
                  int result = (x < e * e) - (x >= e * e && x < e * e + (1 - e) * (1 - e));
                  if (pos.side_to_move() == BLACK)
                      result = -result;
                  printf("%s;%s;%s:%d\n", pos.fen().c_str(), result > 0 ? "1" : result < 0 ? "0" : "0.5", UCI::move(best, false).c_str(), cp);
                  break;
              }
          }
          return;
      }
""")
source = open("uci.cpp").read()
open("uci.cpp", "w").write(source.replace("#include <cassert>", "#include <cassert>\n#include <cstdio>", 1))
P
make -j"$(nproc)" build ARCH="${ARCH:-x86-64-modern}" COMP=gcc >build.log 2>&1 || { tail -5 build.log >&2; exit 1; }
echo "$PWD/stockfish"
