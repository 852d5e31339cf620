"""Exports a checkpoint as a net file (.tesla) and, if asked, a parity file that pins other forward passes to PyTorch.

A net file is, with all integers little-endian:

     0  "TESLANET"
     8  uint32 version (2)
    12  uint32 length of the header
    16  header, JSON: name, arch "eut", features 780, width, policy 4120, segments {name: [offset, length]},
        scale_bits {name: binary digits after the point}, latents, heads, dim, blocks, elo (--elo), training facts
        int32  table [features][width], row-major
        uint64 length of the graph
        graph, ONNX: input acc int32 [N, width + 704]; outputs wdl float [N, 3] (win, draw, loss for the side to move),
        sigma float [N, 1] (q units), policy float [N, 4120] (logits)
        SHA-256 of everything before it, 32 bytes

The graph is float32 throughout. A row of acc is the sum of the table's rows of the features present, then 3 * 64 codes
(what stands on each square; that and how it is attacked; that and what the square is to the kings) and 64 * 8 bytes,
one a rank: the squares that each square's piece attacks. Squares.Write in Go makes those.

The parity file is a list of {fen, features, wdl, sigma, policy_argmax, policy_logits {index: value}}: what PyTorch
computes of held-out positions from the quantized accumulator, with the five highest of all 4,120 policy logits.
"""
import argparse
import hashlib
import inspect
import io
import json
import os
import re
import struct
import time

import numpy as np
import onnx
import torch

import data
import fast
import model

SCALE_BITS = {"num": 15, "den": 15, "sum": 12}
OPSET = 17
MAX_FEATURES = 32 + 4 + 1  # pieces, castling rights, en passant
SQUARES, CODES = model.SQUARES, 3 * model.SQUARES


class Graph(torch.nn.Module):
    """The graph of the net file: from rows of integers to the outputs. trunk is net.trunk or a faster form of it."""

    def __init__(self, trunk, size):
        super().__init__()
        self.trunk, self.size = trunk, size
        first = torch.zeros(3, SQUARES, dtype=torch.int64)
        first[0] = torch.arange(SQUARES) * model.PIECE_CODES  # the table of pieces is one a square
        self.register_buffer("first", first)
        self.register_buffer("bits", (torch.arange(256)[:, None] >> torch.arange(8) & 1).float())

    def forward(self, acc):
        scale = [2.0 ** -SCALE_BITS[name] for name in ("num", "sum")]
        split, sums = self.size.segments["sum"][0], self.size.sums
        dense = torch.cat([acc[:, :split].float() * scale[0], acc[:, split:sums].float() * scale[1]], 1)
        codes = acc[:, sums:sums + CODES].long().view(-1, 3, SQUARES) + self.first
        attacks = torch.nn.functional.embedding(acc[:, sums + CODES:].long(), self.bits).view(-1, SQUARES, SQUARES)
        wdl, sigma, policy = self.trunk(dense, codes, attacks)
        return wdl.softmax(1), sigma, policy


def quantize(net):
    """int32 [780, width]; raises if a sum of MAX_FEATURES rows could leave int32."""
    with torch.no_grad():
        dense = net.first().double().numpy()
    table = np.zeros((model.FEATURES, net.size.sums), np.int64)
    for name, (at, size) in net.size.segments.items():
        table[:, at:at + size] = np.rint(dense[:, at:at + size] * 2 ** SCALE_BITS[name])
    worst = np.sort(np.abs(table), axis=0)[-MAX_FEATURES:].sum(axis=0).max()
    if worst >= 2 ** 31:
        raise SystemExit(f"a sum of {MAX_FEATURES} rows can reach {worst}, which int32 cannot hold")
    print(f"largest possible sum 2^{np.log2(worst):.2f}")
    return table.astype(np.int32)


def onnx_bytes(graph):
    segments = graph.size.segments
    sample = torch.zeros(2, graph.size.sums + CODES + 8 * SQUARES, dtype=torch.int32)
    sample[:, segments["den"][0]:segments["sum"][0]] = 1 << 15
    buffer = io.BytesIO()
    names = ["acc", "wdl", "sigma", "policy"]
    old = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}  # of PyTorch 2.5 and later
    torch.onnx.export(graph, sample, buffer, opset_version=OPSET, input_names=names[:1], output_names=names[1:],
                      dynamic_axes={n: {0: "N"} for n in names}, do_constant_folding=True, **old)
    onnx.checker.check_model(onnx.load_from_string(buffer.getvalue()), full_check=True)
    return buffer.getvalue()


def write(path, header, table, graph):
    text = json.dumps(header).encode()
    body = b"TESLANET" + struct.pack("<II", 2, len(text)) + text + table.astype("<i4").tobytes()
    body += struct.pack("<Q", len(graph)) + graph
    with open(path + ".new", "wb") as f:
        f.write(body + hashlib.sha256(body).digest())
    os.replace(path + ".new", path)
    print(f"{path}: {len(body) + 32} bytes, table {table.nbytes}, graph {len(graph)}, "
          f"sha256 {hashlib.sha256(body).hexdigest()[:12]}")


def fen(p, i, black):
    """Position i as a FEN with that side to move."""
    code, (bits, file) = p.code[i].view(8, 8).numpy(), p.flags[i].tolist()
    letters = ".pnbrqkPNBRQK" if black else ".PNBRQKpnbrqk"
    ranks = ["".join(letters[c] for c in rank) for rank in (code if black else code[::-1])]
    board = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(ranks))
    castling = "".join(c for i, c in enumerate("kqKQ" if black else "KQkq") if bits >> i & 1) or "-"
    passant = "-" if file == 8 else "abcdefgh"[file] + ("3" if black else "6")
    return f"{board} {'b' if black else 'w'} {castling} {passant} 0 1"


def rows(games, table, p):
    """int32 [n, row], the inputs of the graph for positions."""
    hot, codes, _ = data.inputs(games, p)
    acc = (hot.numpy().astype(np.int64) @ table.astype(np.int64)).astype(np.int32)
    codes[:, 0] -= torch.arange(SQUARES) * model.PIECE_CODES
    ranks = p.attacks.view(len(p), -1).numpy().astype(np.int32)
    return torch.from_numpy(np.concatenate([acc, codes.reshape(len(p), -1).numpy().astype(np.int32), ranks], 1))


def parity_positions(games):
    """Held-out positions, eight of each kind: with an en passant capture, with castling rights, with a pawn that may promote, any."""
    held = games.records(games.held)
    p = data.Positions(games, held)
    flags = p.flags.numpy()
    kinds = [flags[:, 1] < 8, flags[:, 0] % 15 > 0, (p.code[:, 48:56].numpy() == 1).any(1), np.ones(len(held), bool)]
    rng = np.random.default_rng(0)
    chosen = [rng.choice(np.flatnonzero(kind), min(8, kind.sum()), replace=False) for kind in kinds]
    return data.Positions(games, held[np.concatenate(chosen)])


@torch.no_grad()
def parity(graph, table, games):
    out, p = [], parity_positions(games)
    acc = rows(games, table, p)
    hot, _ = data.features(games, p)
    for i in range(len(p)):
        wdl, sigma, policy = (t[0] for t in graph(acc[i:i + 1]))
        top = policy.topk(5)
        out.append({"fen": fen(p, i, i % 2 == 1), "features": hot[i].nonzero()[:, 0].tolist(), "wdl": wdl.tolist(),
                    "sigma": sigma.item(), "policy_argmax": top.indices[0].item(),
                    "policy_logits": {str(i): v for i, v in zip(top.indices.tolist(), top.values.tolist())}})
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", required=True, help="net file to write")
    parser.add_argument("--name", default="eut-s")
    parser.add_argument("--elo", type=float, default=0, help="Elo against the embedded net at equal evaluations; a folder of nets is ordered by it")
    parser.add_argument("--parity", help="parity file to write; needs --data")
    parser.add_argument("--data", help="folder of shards, see prepare")
    parser.add_argument("--slim", metavar="FILE", help="write a checkpoint of the averaged weights alone too: enough for a teacher")
    args = parser.parse_args()
    torch.set_num_threads(1)
    net, facts = model.load(args.checkpoint)
    size = net.size
    table = quantize(net)
    onnx_graph = onnx_bytes(Graph(fast.FastTrunk(net), size).eval())
    header = {"name": args.name, "arch": "eut", "features": model.FEATURES, "width": size.sums, "policy": model.POLICY,
              "segments": size.segments, "scale_bits": SCALE_BITS, "latents": size.latents, "heads": size.heads,
              "dim": size.dim, "blocks": size.blocks, "elo": args.elo, "training": facts,
              "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    write(args.out, header, table, onnx_graph)
    if args.slim:
        state = torch.load(args.checkpoint, map_location="cpu")
        torch.save({name: state[name] for name in ("average", "size", "training")}, args.slim)
    if args.parity:
        cases = parity(Graph(net.trunk, size), table, data.Games(args.data))  # pins the faster form too
        with open(args.parity, "w") as f:
            f.write("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")


if __name__ == "__main__":
    main()
