#!/usr/bin/env bash
# Builds Stockfish with a command that labels positions in bulk:
#
#   scripts/labels/stockfish.sh SOURCE     SOURCE: a checkout of the tag sf_15.1 or sf_18, with the nets that it names in src/
#
# The program reads a command and FENs, one a line, to the end of its input. It prints games of one move, in the text form of
# package lab/games: the position, a result, a move, and a score in centipawns.
#
# Stockfish 15.1 has "label DEPTH", some forty thousand a second on a core at depth 1 with ARCH=x86-64-vnni512. It searches each
# position on the spot; depth 1 is its quiescence search. Where the best move is a capture or promotion, or the mover in check,
# it makes the move and searches again, at most six times, until the position is quiet. The result is drawn at random from the
# score, as datagen has it.
#
# It has "scores DEPTH WINDOW" too: for each FEN a line "move:score move:score ..." of all legal moves, in centipawns of the mover. Each
# move is made and the position after it searched, to depth 0 (the quiescence search) and then to DEPTH; a score more than WINDOW
# centipawns below the best may be a bound. At depth 3 a position whose quiescence search found no move is not searched further.
# Scores of mates are 32000 less the plies to it, as in games. A line without moves is empty.
#
# And it has "children": for each FEN it prints a game of one move for each position after a legal move, with the score of its
# quiescence search, some hundred and fifty thousand a second on a core. The result is a draw. The move is the first that the
# search would make, a quiet one where it stands pat. Positions without a legal move, and scores of mates, are left out.
#
# Stockfish 18 has "static", some fifty thousand a second with ARCH=x86-64-bmi2: what its nets say of each position in which the
# mover is not in check, with both counters reset. The result is a draw, the move no capture where there is another.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/labels/stockfish.sh SOURCE" >&2; exit 2; }
cd "$1/src"
git ls-files engine.cpp engine.h search.cpp search.h uci.cpp | xargs git checkout -q --
python3 - <<'P'
import os

def insert(file, before, text):
    source = open(file).read()
    assert source.count(before) == 1, (file, before)
    open(file, "w").write(source.replace(before, text + before))

def label():
    insert("search.h", "void clear();", "Value label(Position& pos, int depth, Move& best);\n"
           "std::vector<std::pair<Value, Move>> scores(Position& pos, int depth, int window);\n")
    insert("search.cpp", "void MainThread::search() {", r"""
// Readies stack for a search of pos on the calling thread.
static Stack* begin(Position& pos, Stack* stack) {
  Stack* ss = stack + 7;
  Thread* th = pos.this_thread();
  for (int i = 7; i > 0; --i)
      (ss - i)->continuationHistory = &th->continuationHistory[0][0][NO_PIECE][0], (ss - i)->staticEval = VALUE_NONE;
  for (int i = 0; i <= MAX_PLY + 2; ++i)
      (ss + i)->ply = i + 1;
  th->nodes = 0, th->rootDelta = 2 * VALUE_INFINITE, th->optimism[WHITE] = th->optimism[BLACK] = VALUE_ZERO;
  th->previousDepth = 0, th->nmpMinPly = 0;
  Threads.stop = false;
  TT.new_search();
  return ss;
}

// Searches pos on the calling thread, one depth after the other.
Value Search::label(Position& pos, int depth, Move& best) {
  Stack stack[MAX_PLY + 10] = {}, *ss = begin(pos, stack);
  Move pv[MAX_PLY + 1];
  Thread* th = pos.this_thread();
  ss->pv = pv;
  Value v = VALUE_ZERO;
  best = MOVE_NONE;
  for (int d = std::min(depth, 1); d <= depth; ++d)
  {
      th->rootDepth = std::max(d, 1);
      pv[0] = MOVE_NONE;
      v = Stockfish::search<PV>(pos, ss, -VALUE_INFINITE, VALUE_INFINITE, d, false);
      if (pv[0] != MOVE_NONE)
          best = pv[0];
  }
  return v;
}

// Searches what each legal move leads to, and returns the values for the mover. Those more than window below the best may be bounds.
// A quiescence search of each comes first, orders them and fills the table.
std::vector<std::pair<Value, Move>> Search::scores(Position& pos, int depth, int window) {
  Stack stack[MAX_PLY + 10] = {}, *ss = begin(pos, stack);
  Move pv[MAX_PLY + 1];
  Thread* th = pos.this_thread();
  StateInfo st;
  std::vector<std::pair<Value, Move>> found;
  for (const auto& m : MoveList<LEGAL>(pos))
      found.emplace_back(VALUE_ZERO, m);
  ss->inCheck = bool(pos.checkers());
  ss->staticEval = ss->inCheck ? VALUE_NONE : evaluate(pos);
  (ss + 1)->pv = pv;
  for (int d : {0, depth})
  {
      Value best = -VALUE_INFINITE;
      th->rootDepth = std::max(d, 1);
      for (auto& [value, m] : found)
      {
          bool capture = pos.capture(m);
          ss->currentMove = m;
          ss->continuationHistory = &th->continuationHistory[ss->inCheck][capture][pos.moved_piece(m)][to_sq(m)];
          pos.do_move(m, st);
          Value alpha = std::max(best - window, -VALUE_INFINITE);
          if (d == 0 && MoveList<LEGAL>(pos).size() == 0)
              value = pos.checkers() ? mate_in(2) : VALUE_DRAW;
          else
              value = -Stockfish::search<PV>(pos, ss + 1, -VALUE_INFINITE, -alpha, d, false);
          pos.undo_move(m);
          best = std::max(best, value);
      }
      std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.first > b.first; });
  }
  return found;
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
      else if (token == "children")
      {
          string fen;
          StateInfo first, second;
          while (getline(cin, fen))
          {
              pos.set(fen, false, &first, Threads.main());
              for (const auto& m : MoveList<LEGAL>(pos))
              {
                  pos.do_move(m, second);
                  Move best = MOVE_NONE;
                  Value v = MoveList<LEGAL>(pos).size() ? Search::label(pos, 0, best) : VALUE_MATE;
                  if (best == MOVE_NONE)
                      for (const auto& next : MoveList<LEGAL>(pos))
                          if (best == MOVE_NONE || (!pos.capture(next) && type_of(Move(next)) != PROMOTION))
                              best = next;
                  if (abs(v) < VALUE_TB_WIN_IN_MAX_PLY)
                      printf("%s;0.5;%s:%d\n", pos.fen().c_str(), UCI::move(best, false).c_str(), int(v) * 100 / UCI::NormalizeToPawnValue);
                  pos.undo_move(m);
              }
          }
          return;
      }
      else if (token == "scores")
      {
          int depth = 0, window = 1000;
          is >> depth >> window;
          string fen;
          StateInfo first;
          while (getline(cin, fen))
          {
              pos.set(fen, false, &first, Threads.main());
              const char* space = "";
              for (auto [v, m] : Search::scores(pos, depth, window * UCI::NormalizeToPawnValue / 100))
              {
                  // Plies count from 1 at the root of these searches.
                  int cp = v >= VALUE_MATE_IN_MAX_PLY  ? 32000 - (VALUE_MATE - v - 1)
                         : v <= VALUE_MATED_IN_MAX_PLY ? -32000 + (VALUE_MATE + v - 1)
                                                       : int(v) * 100 / UCI::NormalizeToPawnValue;
                  printf("%s%s:%d", space, UCI::move(m, false).c_str(), cp);
                  space = " ";
              }
              printf("\n");
          }
          return;
      }
""")
    insert("uci.cpp", "#include <cassert>", "#include <cstdio>\n")

def static():
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

(static if os.path.exists("engine.cpp") else label)()
P
make clean >/dev/null
make -j"$(nproc)" build ARCH="${ARCH:-x86-64-modern}" COMP=gcc >build.log 2>&1 || { tail -5 build.log >&2; exit 1; }
echo "$PWD/stockfish"
