"""Exports a checkpoint as a net file (.tesla) and, if asked, a parity file that pins other forward passes to PyTorch.

A net file is, with all integers little-endian:

     0  "TESLANET"
     8  uint32 version (1)
    12  uint32 length of the header
    16  header, JSON: name, arch "eut", features 780, width, policy 4120, segments {name: [offset, length]},
        scale_bits {name: binary digits after the point}, latents, heads, dim, blocks, training facts
        int32  table [features][width], row-major
        uint64 length of the graph
        graph, ONNX: input acc int32 [N, width]; outputs wdl float [N, 3] (win, draw, loss for the side to move),
        sigma float [N, 1] (q units), policy float [N, 4120] (logits)
        SHA-256 of everything before it, 32 bytes

The graph is float32 throughout; acc is the sum of the table's rows of the features present. The segment "square" of a
row holds whole numbers: 1..12 in the slot of the feature's own square.

The parity file is a list of {fen, features, wdl, sigma, policy_argmax, policy_logits {index: value}}: what PyTorch
computes from the quantized accumulator, with the five highest of all 4,120 policy logits.
"""
import argparse
import hashlib
import io
import json
import os
import struct
import time

import numpy as np
import onnx
import torch

import data
import fast
import model

SCALE_BITS = {"num": 15, "den": 15, "sum": 12, "square": 0}
OPSET = 17
MAX_FEATURES = 32 + 4 + 1  # pieces, castling rights, en passant

PARITY_FENS = """rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3
rnbqkb1r/ppp1pppp/5n2/8/2pP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 4
r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 0 1
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
rnbqkbnr/ppp1pppp/8/8/3pP3/2N5/PPPP1PPP/R1BQKBNR b KQkq e3 0 3
r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1
r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1
rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8
r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1
8/8/8/4k3/8/8/4P3/4K3 w - - 0 1
8/8/8/8/8/5k2/4q3/7K w - - 0 1
7K/P1p1p1p1/2P1P1Pk/6pP/3p2P1/1P6/3P4/8 w - - 0 1
8/5P1k/8/8/8/8/1p4K1/8 b - - 0 1
2kr3r/pp3ppp/2n1b3/2q5/8/2N2N2/PPP1QPPP/R3R1K1 b - - 3 15
4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1
k7/8/8/8/8/8/8/K6R w - - 98 120""".splitlines()


class Graph(torch.nn.Module):
    """What the file's graph computes, from the integer accumulator: trunk is net.trunk or a faster form of it."""

    def __init__(self, trunk):
        super().__init__()
        self.trunk = trunk
        self.register_buffer("first_code", torch.arange(64) * model.CODES)

    def forward(self, acc):
        scale = [2.0 ** -SCALE_BITS[name] for name in ("num", "sum")]
        split = model.SEGMENTS["sum"][0]
        dense = torch.cat([acc[:, :split].float() * scale[0], acc[:, split:model.DENSE].float() * scale[1]], 1)
        wdl, sigma, policy = self.trunk(dense, acc[:, model.DENSE:].long() + self.first_code)
        return wdl.softmax(1), sigma, policy


def quantize(net):
    """int32 [780, width]; raises if a sum of MAX_FEATURES rows could leave int32."""
    with torch.no_grad():
        dense = net.first().double().numpy()
    table = np.zeros((model.FEATURES, model.ROW), np.int64)
    for name in ("num", "den", "sum"):
        at, size = model.SEGMENTS[name]
        table[:, at:at + size] = np.rint(dense[:, at:at + size] * 2 ** SCALE_BITS[name])
    f = np.arange(model.PIECES)
    table[f, model.DENSE + f % 64] = model.piece_codes().numpy()[:model.PIECES]
    worst = np.sort(np.abs(table), axis=0)[-MAX_FEATURES:].sum(axis=0).max()
    if worst >= 2 ** 31:
        raise SystemExit(f"a sum of {MAX_FEATURES} rows can reach {worst}, which int32 cannot hold")
    print(f"largest possible sum 2^{np.log2(worst):.2f}")
    return table.astype(np.int32)


def onnx_bytes(graph):
    sample = torch.zeros(2, model.ROW, dtype=torch.int32)
    sample[:, model.SEGMENTS["den"][0]:model.SEGMENTS["sum"][0]] = 1 << 15
    buffer = io.BytesIO()
    names = ["acc", "wdl", "sigma", "policy"]
    torch.onnx.export(graph, sample, buffer, opset_version=OPSET, input_names=names[:1], output_names=names[1:],
                      dynamic_axes={n: {0: "N"} for n in names}, do_constant_folding=True)
    onnx.checker.check_model(onnx.load_from_string(buffer.getvalue()), full_check=True)
    return buffer.getvalue()


def write(path, header, table, graph):
    text = json.dumps(header).encode()
    body = b"TESLANET" + struct.pack("<II", 1, len(text)) + text + table.astype("<i4").tobytes()
    body += struct.pack("<Q", len(graph)) + graph
    with open(path + ".new", "wb") as f:
        f.write(body + hashlib.sha256(body).digest())
    os.replace(path + ".new", path)
    print(f"{path}: {len(body) + 32} bytes, table {table.nbytes}, graph {len(graph)}, "
          f"sha256 {hashlib.sha256(body).hexdigest()[:12]}")


def parse_fen(fen):
    """code uint8 [64] and flags uint8 [2], as prepare writes them; an en passant square is taken at its word, so the
    capture must be legal."""
    board, side, castling, passant = fen.split()[:4]
    black = side == "b"
    code = np.zeros(64, np.uint8)
    for rank, row in enumerate(board.split("/")):
        file = 0
        for c in row:
            if c.isdigit():
                file += int(c)
                continue
            theirs = c.islower() != black
            code[((7 - rank) * 8 + file) ^ (56 if black else 0)] = "pnbrqk".index(c.lower()) + 1 + 6 * theirs
            file += 1
    order = "kqKQ" if black else "KQkq"
    bits = sum(1 << i for i, c in enumerate(order) if c in castling)
    return code, np.array([bits, 8 if passant == "-" else "abcdefgh".index(passant[0])], np.uint8)


def accumulate(hot, table):
    """int32 [n, width], the sums of the rows of multi-hot [n, 780]."""
    return torch.from_numpy((hot.numpy().astype(np.int64) @ table.astype(np.int64)).astype(np.int32))


@torch.no_grad()
def parity(graph, table):
    out = []
    for fen in PARITY_FENS:
        code, flags = parse_fen(fen)
        hot, _ = data.features(code[None], flags[None])
        wdl, sigma, policy = (t[0] for t in graph(accumulate(hot, table)))
        top = policy.topk(5)
        out.append({"fen": fen, "features": hot[0].nonzero()[:, 0].tolist(), "wdl": wdl.tolist(), "sigma": sigma.item(),
                    "policy_argmax": top.indices[0].item(),
                    "policy_logits": {str(i): v for i, v in zip(top.indices.tolist(), top.values.tolist())}})
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", required=True, help="net file to write")
    parser.add_argument("--name", default="eut-s")
    parser.add_argument("--parity", help="parity file to write")
    parser.add_argument("--onnx", help="write the bare graph here too")
    args = parser.parse_args()
    torch.set_num_threads(1)
    state = torch.load(args.checkpoint)
    net = model.EUT().eval()
    net.load_state_dict(state["average"])
    table = quantize(net)
    onnx_graph = onnx_bytes(Graph(fast.FastTrunk(net)).eval())
    header = {"name": args.name, "arch": "eut", "features": model.FEATURES, "width": model.ROW, "policy": model.POLICY,
              "segments": model.SEGMENTS, "scale_bits": SCALE_BITS, "latents": model.LATENTS, "heads": model.HEADS,
              "dim": model.DIM, "blocks": model.BLOCKS, "training": state["training"],
              "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    write(args.out, header, table, onnx_graph)
    if args.onnx:
        with open(args.onnx, "wb") as f:
            f.write(onnx_graph)
    if args.parity:
        rows = [json.dumps(row) for row in parity(Graph(net.trunk), table)]  # pins the faster form too
        with open(args.parity, "w") as f:
            f.write("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
