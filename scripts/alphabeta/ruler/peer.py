#!/usr/bin/env python3
"""peer.py SOURCE: adds the counters of the ruler to search.cpp of Stockfish 15.1 in the folder SOURCE/src.

Each counter is put before or after a short piece of a line that is in the file once; the counts mean what those of
alphabeta/counters_ruler.go mean.
"""
import sys

path = sys.argv[1] + "/src/search.cpp"
text = open(path).read()


def put(anchor, before="", after="", at=0):
    """Puts text before and after the occurrence number `at` of an anchor."""
    global text
    parts = text.split(anchor)
    if len(parts) <= at + 1:
        sys.exit(f"{path}: no {anchor!r}")
    text = anchor.join(parts[: at + 1]) + before + anchor + after + anchor.join(parts[at + 1 :])


put("namespace Stockfish {", before="""#include <map>
static std::map<std::string, long> ruled;
static void rule(const std::string& name, long n = 1) { ruled[name] += n; }
static int size(int by) { return by < -1 ? -1 : by > 6 ? 6 : by; }
""")
put('sync_cout << "bestmove "', before="""{
      sync_cout << "info string ruler";
      for (auto& c : ruled) std::cout << " " << c.first << "=" << c.second;
      std::cout << sync_endl;
  }
  """)
search = text.index("Value search(Position& pos, Stack* ss, Value alpha", text.index("main search"))
quiet = text.index("Value qsearch(Position& pos", search)
head, body, tail = text[:search], text[search:quiet], text[quiet:]


def inside(anchor, new):
    """Replaces an anchor, which is there once, in the search."""
    global body
    if body.count(anchor) != 1:
        sys.exit(f"{path}: {body.count(anchor)} times {anchor!r}")
    body = body.replace(anchor, new)


def returns(condition, value, name):
    """Counts before the first return of a value behind a condition."""
    global body
    at = body.index(condition)
    at = body.index(f"return {value};", at)
    body = body[:at] + f'return rule("{name}"), {value};' + body[at + len(f"return {value};"):]


inside("// Step 1. Initialize node", 'rule("nodes"); const Value asked = alpha; (void) asked; // Step 1.')
inside("ttValue = ss->ttHit ? value_from_tt", 'rule("probes"); rule("hits", ss->ttHit); ttValue = ss->ttHit ? value_from_tt')
inside("if (pos.rule50_count() < 90)", 'if (pos.rule50_count() < 90 && (rule("end-table"), true))')
inside("if (alpha >= beta)\n            return alpha;\n    }\n    else", 'if (alpha >= beta)\n            return rule("end-rule"), alpha;\n    }\n    else')
inside("return (ss->ply >= MAX_PLY && !ss->inCheck)", 'return rule("end-rule"), (ss->ply >= MAX_PLY && !ss->inCheck)')
returns("// Step 7. Razoring", "value", "end-static")
returns("// Step 8. Futility", "eval", "end-static")
returns("if (nullValue >= beta)", "nullValue", "end-null")
returns("// Do verification search", "nullValue", "end-null")
returns("// Save ProbCut data", "value", "end-probcut")
returns("// Step 12. A small Probcut", "probCutBeta", "end-probcut")
returns("// Multi-cut pruning", "singularBeta", "end-multicut")
inside("newDepth += extension;", 'if (extension) rule(std::string("extended") + (extension > 0 ? "+" : "") + std::to_string(extension)); newDepth += extension;')
inside("// Step 16. Make the move", "++tried; // Step 16.")
inside("value = bestValue;\n    moveCountPruning", "value = bestValue; int tried = 0;\n    moveCountPruning")
inside("value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, d, true);", """value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, d, true);
          const int by = size(newDepth - d);
          rule("late" + std::to_string(by)); rule("late-plies", by); rule("high" + std::to_string(by), value > alpha);""")
inside("if (newDepth > d)\n                  value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, newDepth, !cutNode);",
       "if (newDepth > d)\n                  value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, newDepth, !cutNode), rule(\"again\"), rule(\"held\", value > alpha);")
inside("value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, newDepth, !cutNode);\n      }\n\n      // For PV", """value = -search<NonPV>(pos, ss+1, -(alpha+1), -alpha, newDepth, !cutNode);
              if (moveCount > 1) rule("late0"), rule("high0", value > alpha);
      }

      // For PV""")
inside("// Step 21. Check for mate", """if (bestValue >= beta) rule("end-cut"), rule("cut-moves", tried), rule("cut-first", tried == 1);
    else if (bestMove) rule("end-exact");
    else rule("end-low"), rule("low-moves", tried);
    // Step 21.""")
tail = tail.replace("assert(depth <= 0);", 'assert(depth <= 0); rule("quiet");', 1)
open(path, "w").write(head + body + tail)
