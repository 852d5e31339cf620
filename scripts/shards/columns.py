"""Packs shards of positions for a journey, and unpacks them.

    columns.py pack SHARDS FOLDER      SHARDS/00000.positions -> FOLDER/00000.xz and so on, and the manifest
    columns.py unpack FOLDER SHARDS    the reverse; the manifest comes last, for without it the shards are not complete

xz needs 14.5 bytes for a record of 39. Where all first bytes come first, then all second ones and so on, it needs 9.3 (1.32 million
positions of games). The files *.teacher stay behind.
"""
import argparse
import json
import lzma
import multiprocessing
import os
import shutil

import numpy as np

MANIFEST = "manifest.json"


def replace(path, data):
    with open(path + ".new", "wb") as f:
        f.write(data)
    os.replace(path + ".new", path)


def pack(record, source, target):
    data = np.fromfile(source, np.uint8).reshape(-1, record)
    replace(target, lzma.compress(np.ascontiguousarray(data.T)))


def unpack(record, source, target):
    with lzma.open(source) as f:
        data = np.frombuffer(f.read(), np.uint8).reshape(record, -1)
    replace(target, np.ascontiguousarray(data.T))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["pack", "unpack"])
    parser.add_argument("source")
    parser.add_argument("target")
    args = parser.parse_args()
    with open(f"{args.source}/{MANIFEST}", encoding="utf-8") as f:
        manifest = json.load(f)
    work, ends = (pack, (".positions", ".xz")) if args.what == "pack" else (unpack, (".xz", ".positions"))
    os.makedirs(args.target, exist_ok=True)
    shards = range(-(-manifest["positions"] // manifest["shard"]))
    with multiprocessing.Pool() as pool:
        pool.starmap(work, [(manifest["record"], f"{args.source}/{i:05d}{ends[0]}", f"{args.target}/{i:05d}{ends[1]}") for i in shards], 1)
    shutil.copyfile(f"{args.source}/{MANIFEST}", f"{args.target}/{MANIFEST}")


if __name__ == "__main__":
    main()
