"""Rewrites the graph of a net file in another precision: products of weights in int8 for CPUs, or only what the file
stores. Inputs, outputs and the table stay as they are. (float16 for GPUs is made when a net is opened, see FusedGraph in eut.)

int8: weights are quantized once, a scale for each output; what they multiply is quantized as it comes, a scale and a zero point
for each product (ONNX's DynamicQuantizeLinear and MatMulInteger).
stored: weights are stored in float16, in half the space, and become float32 when the net is loaded.
"""
import argparse
import hashlib
import json
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import export


def constants(graph):
    """{name: tensor} of the graph's initializers and constants."""
    found = {t.name: t for t in graph.initializer}
    found.update({n.output[0]: n.attribute[0].t for n in graph.node if n.op_type == "Constant"})
    return found


def attributes(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def weight_of(node, known):
    """The constant matrix [in, out] of a product, or None."""
    if node.op_type not in ("Gemm", "MatMul") or node.input[1] not in known:
        return None
    w, how = numpy_helper.to_array(known[node.input[1]]), attributes(node)
    if w.ndim != 2 or how.get("transA") or how.get("alpha", 1) != 1 or how.get("beta", 1) != 1:
        return None
    return np.ascontiguousarray(w.T if how.get("transB") else w)


def int8(model, least):
    """Quantizes the products that have at least `least` weights."""
    graph, known, nodes = model.graph, constants(model.graph), []
    for node in graph.node:
        w = weight_of(node, known)
        if w is None or w.size < least:
            nodes.append(node)
            continue
        scale = np.abs(w).max(0) / 127
        scale[scale == 0] = 1
        name = node.output[0] + "_int8_"
        graph.initializer.extend([
            numpy_helper.from_array(np.rint(w / scale).astype(np.int8), name + "w"),
            numpy_helper.from_array(scale.astype(np.float32), name + "scale"),
            numpy_helper.from_array(np.zeros(w.shape[1], np.int8), name + "zero")])
        out = node.output[0] if len(node.input) < 3 else name + "product"
        nodes += [
            helper.make_node("DynamicQuantizeLinear", [node.input[0]], [name + "x", name + "xscale", name + "xzero"]),
            helper.make_node("MatMulInteger", [name + "x", name + "w", name + "xzero", name + "zero"], [name + "sum"]),
            helper.make_node("Cast", [name + "sum"], [name + "float"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [name + "xscale", name + "scale"], [name + "both"]),
            helper.make_node("Mul", [name + "float", name + "both"], [out])]
        if len(node.input) > 2:
            nodes.append(helper.make_node("Add", [out, node.input[2]], [node.output[0]]))
    del graph.node[:]
    graph.node.extend(nodes)


def stored(model, least):
    """Stores tensors of at least `least` numbers in float16."""
    graph, casts = model.graph, []
    for t in graph.initializer:
        value = numpy_helper.to_array(t)
        if value.dtype == np.float32 and value.size >= least:
            casts.append(helper.make_node("Cast", [t.name + "_half"], [t.name], to=TensorProto.FLOAT))
            t.CopyFrom(numpy_helper.from_array(value.astype(np.float16), t.name + "_half"))
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend(casts + nodes)


def drop_unused(graph):
    """Removes initializers and constants that nothing reads."""
    read = {name for n in graph.node for name in n.input}
    kept = [t for t in graph.initializer if t.name in read]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    nodes = [n for n in graph.node if n.op_type != "Constant" or n.output[0] in read]
    del graph.node[:]
    graph.node.extend(nodes)


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
    parser.add_argument("--to", choices=("int8", "stored"), required=True)
    parser.add_argument("--least", type=int, default=8192, help="leave products (with stored: tensors) of fewer weights as they are")
    args = parser.parse_args()
    header, table, graph = read(args.net)
    model = onnx.load_from_string(graph)
    if args.to == "int8":
        int8(model, args.least)
    else:
        stored(model, args.least)
    drop_unused(model.graph)
    onnx.checker.check_model(model, full_check=True)
    if args.to != "stored":
        header["name"] += "-" + args.to
    export.write(args.out, header, table, model.SerializeToString())


if __name__ == "__main__":
    main()
