"""Stores the weights of a net file in float16, in half the space; they become float32 when the net is loaded. Inputs,
outputs and the table stay as they are. (A graph that computes in float16 is made when a net is opened, see FusedGraph in eut.)
"""
import argparse
import hashlib
import json
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import export

LEAST = 8192  # numbers of the smallest tensor that is stored in float16


def stored(model):
    """Stores tensors of at least LEAST numbers in float16."""
    graph, casts = model.graph, []
    for t in graph.initializer:
        value = numpy_helper.to_array(t)
        if value.dtype == np.float32 and value.size >= LEAST:
            casts.append(helper.make_node("Cast", [t.name + "_half"], [t.name], to=TensorProto.FLOAT))
            t.CopyFrom(numpy_helper.from_array(value.astype(np.float16), t.name + "_half"))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend(casts + nodes)


def read(path):
    """Header, table [features, width] and graph of a net file."""
    data = open(path, "rb").read()
    if data[:8] != b"TESLANET" or hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise SystemExit(f"{path} is no sound net file")
    at = 16 + struct.unpack_from("<I", data, 12)[0]
    header = json.loads(data[16:at])
    shape = header["features"], header["width"]
    table = np.frombuffer(data, "<i4", shape[0] * shape[1], at).reshape(shape)
    at += table.nbytes + 8
    return header, table, data[at:-32]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net")
    parser.add_argument("out")
    args = parser.parse_args()
    header, table, graph = read(args.net)
    model = onnx.load_from_string(graph)
    stored(model)
    onnx.checker.check_model(model, full_check=True)
    export.write(args.out, header, table, model.SerializeToString())


if __name__ == "__main__":
    main()
