"""Exports a value and a policy checkpoint as a net file (.tesla) for the package nnue.

The file, all integers little-endian: "TESLANNU", uint32 version 2, uint32 length of the header, the header in JSON,
eighteen arrays, each from the next multiple of 64 bytes on, and the SHA-256 of all that. With H and P columns, K king
buckets:

    value   ft int16 [K*768][H], bias int16 [H], layer1 int8 [8][16][2H], step1 float32 [8][16], bias1 float32 [8][16],
            layer2 float32 [8][32][32], bias2 float32 [8][32], layer3 float32 [8][3][32], bias3 float32 [8][3]
    policy  ft int8 [3200][P], bias int16 [P], rows1 int8 [3716][P], rows2 int8 [768][P], step1 float32 [3716],
            step2 float32 [768], bias1 float32 [3716], bias2 float32 [768], bias3 float32 [144]

Instead of a checkpoint, --value and --policy take a net file, too, whose arrays stay as they are. --float writes the same arrays
in float32, those of a checkpoint before they are rounded.
"""
import argparse
import hashlib
import json
import os
import struct

import numpy as np
import torch

import nets
from kernel import pack, unpack

ALIGN = 64
VERSION = 2
STEPS = (3, 13, 14)  # the arrays of steps of rows: all 1 in a float net
VALUE = 9  # arrays of the value; those of the policy follow


def load(path):
    """The net of a checkpoint, its averaged weights by name, and its training facts."""
    state = torch.load(path)
    facts = state["training"]
    if facts["net"] == "value":
        net = nets.Value(facts["hidden"], facts["buckets"], facts["seed"])
    else:
        net = nets.Policy(facts["hidden"], facts["seed"])
    for name, p in net.parameters.items():
        p.average.copy_(state["average"][name])
    return net, net.weights(average=True), facts


def value_arrays(v):
    """The value's arrays as (float array, steps to 1 or None where it stays float, integer type)."""
    step = nets.row_steps(v["layer1"], 2)
    return [
        (unpack(v["ft"]), nets.QA, "<i2"), (v["bias"].reshape(-1), nets.QA, "<i2"), (v["layer1"], 1 / step, "<i1"), (step, None, ""),
        *((v[name], None, "") for name in ("bias1", "layer2", "bias2", "layer3", "bias3")),
    ]


def policy_arrays(p):
    """The same for the policy."""
    step1, step2 = (nets.row_steps(p[name]).reshape(-1) for name in ("rows1", "rows2"))
    return [
        (unpack(p["ft"]), nets.QA, "<i1"), (p["bias"].reshape(-1), nets.QA, "<i2"),
        (unpack(p["rows1"]), 1 / step1[:, None], "<i1"), (unpack(p["rows2"]), 1 / step2[:, None], "<i1"),
        (step1, None, ""), (step2, None, ""), (p["bias1"], None, ""), (p["bias2"], None, ""), (p["bias3"], None, ""),
    ]


def integers(array, steps, kind):
    """Rounds the arrays; raises where a value does not fit."""
    if steps is None:
        return array.numpy().astype("<f4")
    found = (array.double() * steps).round().numpy()
    most = nets.INT8 if kind == "<i1" else 32767
    if np.abs(found).max() > most:
        raise SystemExit(f"a weight of {np.abs(found).max()} does not fit, at most {most}")
    return found.astype(kind)


def write(path, header, parts):
    text = json.dumps(header).encode()
    body = bytearray(b"TESLANNU" + struct.pack("<II", VERSION, len(text)) + text)
    for array in parts:
        body += bytes(-len(body) % ALIGN)
        body += array.tobytes()
    with open(path + ".new", "wb") as f:
        f.write(body + hashlib.sha256(body).digest())
    os.replace(path + ".new", path)
    print(f"{path}: {len(body) + 32} bytes, sha256 {hashlib.sha256(body).hexdigest()[:12]}")


def check_sums(parts):
    """Checks that the largest accumulators that 32 pieces, or 48 features, can make fit int16."""
    for name, table, bias, most in (("value", parts[0], parts[1], 32), ("policy", parts[9], parts[10], 48)):
        worst = np.sort(np.abs(table.astype(np.int32)), axis=0)[-most:].sum(axis=0) + np.abs(bias.astype(np.int32))
        print(f"{name}: largest possible accumulator {worst.max()}")
        if worst.max() > 32767:
            raise SystemExit(f"{name}: an accumulator may leave int16")


def read(path):
    """The header and the arrays of a net file."""
    with open(path, "rb") as f:
        body = f.read()
    if len(body) < 16 or body[:8] != b"TESLANNU" or struct.unpack_from("<I", body, 8)[0] != VERSION:
        raise SystemExit(f"{path}: not a net file of version {VERSION}")
    at = 16 + struct.unpack_from("<I", body, 12)[0]
    header, parts = json.loads(body[16:at]), []
    if header.get("float"):
        raise SystemExit(f"{path}: a net before rounding, want one that the program plays with")
    h, p, k, o, one, two = header["H"], header["P"], header["K"], nets.OUTPUTS, nets.LAYER1, nets.LAYER2
    for kind, *shape in [
        ("<i2", k * nets.PIECES, h), ("<i2", h), ("<i1", o, one, 2 * h), ("<f4", o, one), ("<f4", o, one),
        ("<f4", o, two, 2 * one), ("<f4", o, two), ("<f4", o, nets.HEADS, two), ("<f4", o, nets.HEADS),
        ("<i1", nets.POLICY_FEATURES, p), ("<i2", p), ("<i1", nets.ROWS1, p), ("<i1", nets.ROWS2, p),
        ("<f4", nets.ROWS1), ("<f4", nets.ROWS2), ("<f4", nets.ROWS1), ("<f4", nets.ROWS2), ("<f4", nets.SCALARS),
    ]:
        at += -at % ALIGN
        parts.append(np.frombuffer(body, kind, np.prod(shape), at).reshape(shape))
        at += parts[-1].nbytes
    return header, parts


def short_hash(path):
    """What the program shows of a net file's SHA-256."""
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:12]


def net_of(path, policy):
    """The value or the policy net of a net file, to be trained on. What its rows share is zero at first."""
    header, parts = read(path)
    parts = [torch.from_numpy(part.astype(np.float32)) for part in (parts[VALUE:] if policy else parts[:VALUE])]
    if policy:
        net = nets.Policy(header["P"])
        ft, bias, rows1, rows2, step1, step2, *rest = parts
        found = {"ft": pack(ft / nets.QA), "bias": bias / nets.QA, "rows1": pack(rows1 * step1[:, None]),
                 "rows2": pack(rows2 * step2[:, None]), **dict(zip(("bias1", "bias2", "bias3"), rest))}
    else:
        net = nets.Value(header["H"], header["K"])
        if net.table.tolist() != header["buckets"]:
            raise SystemExit(f"{path}: other king buckets")
        ft, bias, layer1, step, *rest = parts
        found = {"own": pack(ft / nets.QA), "bias": bias / nets.QA, "layer1": layer1 * step[..., None],
                 **dict(zip(("bias1", "layer2", "bias2", "layer3", "bias3"), rest))}
    for name, p in net.parameters.items():
        p.value.copy_(found[name].view(p.value.shape)) if name in found else p.value.zero_()
        p.average.copy_(p.value)
    return net


def half(path, policy):
    """The value or the policy of a checkpoint or a net file: its fields of the header, its arrays as integers, and as floats."""
    arrays = policy_arrays if policy else value_arrays
    if path.endswith(".tesla"):
        header, parts = read(path)
        facts = {name: header[name] for name in (("P",) if policy else ("H", "K", "buckets"))}
        named, training = arrays(net_of(path, policy).weights(average=True)), header["training"]["policy" if policy else "value"]
        parts = parts[VALUE:] if policy else parts[:VALUE]
    else:
        net, weights, training = load(path)
        facts = {"P": net.hidden} if policy else {"H": net.hidden, "K": net.buckets, "buckets": net.table.tolist()}
        named = arrays(weights)
        parts = [integers(*a) for a in named]
    return facts, training, parts, [a.contiguous().numpy().astype("<f4") for a, _, _ in named]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--value", required=True, help="best.pt of the value net, or a net file")
    parser.add_argument("--policy", required=True, help="best.pt of the policy net, or a net file")
    parser.add_argument("--name", default="nnue")
    parser.add_argument("--description", default="value and policy net for processors")
    parser.add_argument("--out", required=True)
    parser.add_argument("--float", help="also write the net before rounding")
    args = parser.parse_args()
    value, value_training, value_parts, value_floats = half(args.value, policy=False)
    policy, policy_training, policy_parts, policy_floats = half(args.policy, policy=True)
    header = {"name": args.name, **value, **policy, "description": args.description,
              "training": {"value": value_training, "policy": policy_training}}
    parts = value_parts + policy_parts
    check_sums(parts)
    write(args.out, header, parts)
    if args.float:
        whole = [np.ones_like(a) if i in STEPS else a for i, a in enumerate(value_floats + policy_floats)]
        assert [a.size for a in whole] == [a.size for a in parts]  # both files have the same arrays
        write(args.float, {**header, "float": True}, whole)


if __name__ == "__main__":
    main()
