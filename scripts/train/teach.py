"""Writes what the net of a checkpoint says of the legal moves of each position beside the shards of a folder: the files *.teacher of
scripts/prepare -teacher, without Go and ONNX Runtime. A run that was stopped goes on at the shard where it was."""
import argparse
import hashlib
import json
import os
import time

import numpy as np
import torch

import data
import model
import train

BATCH = 4096


@torch.no_grad()
def shares(net, games, records):
    """uint8 [M]: 255 times the square root of the probability of each legal move."""
    b = data.batch(games, records)
    _, _, move = train.predictions(net, {**b, "attacks": b["attacks"].float()})
    return (255 * (move[b["legal"]] / 2).exp()).round().to(torch.uint8).cpu().numpy()


def claim(folder, teacher):
    """Keeps the teachers of a folder's shards one net."""
    path = f"{folder}/teacher.json"
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(teacher, f)
    with open(path, encoding="utf-8") as f:
        was = json.load(f)
    if was != teacher:
        raise SystemExit(f"{path} has {was}, not {teacher}: remove it and the files *.teacher first")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    torch.set_float32_matmul_precision("high")  # TF32, as in the program
    net = model.load(args.checkpoint)[0].to(args.device)
    games = data.Games(args.data, args.device)
    with open(args.checkpoint, "rb") as f:
        claim(args.data, {"model": hashlib.sha256(f.read()).hexdigest()[:12], "name": os.path.basename(args.checkpoint), "every": 1})
    began, done = time.time(), 0
    for i, part in enumerate(games.parts):
        path = f"{args.data}/{i:05d}.teacher"
        if os.path.exists(path):
            continue
        found = [shares(net, games, np.array(part[at:at + BATCH])) for at in range(0, len(part), BATCH)]
        np.concatenate(found).tofile(path + ".new")
        os.replace(path + ".new", path)
        done += len(part)
    print(f"teacher {args.checkpoint}: {done} positions, {done / (time.time() - began):.0f} a second")


if __name__ == "__main__":
    main()
