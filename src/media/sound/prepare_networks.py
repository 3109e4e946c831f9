#!/usr/bin/env python3
"""Prepares the networks of the speech model for ONNX Runtime:

    prepare_networks.py ENCODER DECODER FOLDER

writes encoder.onnx and decoder.onnx. They compute the same, up to rounding, in a third of the time and 200 MB less
memory:

- The decoder that is given consists of two branches. One computes, from the encoded sound, the keys and values that
  the other needs for each token. Here the encoder computes them, and the decoder is the other branch alone.
- The decoder stores the matrix of its vocabulary as bytes, but turns it into 54 MB of floating-point numbers for each
  token. Here it multiplies whole numbers, like its other products.
- The weights are in files of their own, which ONNX Runtime maps into memory instead of copying them twice.
"""

import os
import sys

import onnx
from onnx import TensorProto, helper

SOUND = "last_hidden_state"  # Of the encoder.
ENCODED = "encoder_hidden_states"  # The same, as an input of the decoder.
SCORES = "logits"
STORED_IN_NETWORK_MAX = 1024  # Bytes: smaller arrays are mostly shapes, which are read with the network.


def names_of(values):
    return [each.name for each in values]


def needed_for(nodes, outputs):
    """The nodes that compute `outputs`, and the names of all values that they read."""
    read, needed = set(outputs), []
    for node in reversed(nodes):
        if read & set(node.output):
            needed.append(node)
            read |= set(node.input)
    return needed[::-1], read


def network(like, nodes, inputs, outputs, constants):
    graph = helper.make_graph(nodes, "reelsd", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=like.opset_import)
    model.ir_version = like.ir_version
    model.doc_string = "Changed for reelsd: divided differently; the results are the same."
    return model


def with_keys_and_values(encoder, decoder, branch):
    """The encoder, followed by the nodes of the branch that compute keys and values from its result."""
    results = [each for each in decoder.graph.output if ".encoder." in each.name]
    for node in branch.node:
        if node.op_type == "Shape":
            node.input[0] = ENCODED  # Only the number of clips is read, which all values have in common.
    nodes, read = needed_for(branch.node, names_of(results))
    constants = [each for each in decoder.graph.initializer if each.name in read]
    kept = {"": "", ENCODED: SOUND, **{name: name for name in names_of(results)}}
    for node in nodes:
        node.name = f"decoder.{node.name}"
        for values in (node.input, node.output):
            values[:] = [kept.get(value, f"decoder.{value}") for value in values]
    for constant in constants:
        constant.name = f"decoder.{constant.name}"
    return network(encoder, [*encoder.graph.node, *nodes], encoder.graph.input, results,
                   [*encoder.graph.initializer, *constants])


def multiply_whole_numbers(branch):
    """Replaces the product of the vocabulary's matrix and the state of the text."""
    nodes = {each.output[0]: each for each in branch.node}
    product = nodes[SCORES]
    matrix = nodes[product.input[1]]
    transposition = nodes[matrix.input[0]]
    if (product.op_type, matrix.op_type, transposition.op_type) != ("MatMul", "DequantizeLinear", "Transpose"):
        sys.exit("the decoder is not the one that this program knows")
    weights, (scale, zero) = transposition.input[0], matrix.input[1:]
    for node in (product, matrix, transposition):
        branch.node.remove(node)
    state, column, whole, scaled = product.input[0], "scores.column", "scores.whole", "scores.scaled"
    number, number_scale, number_zero = "scores.number", "scores.number_scale", "scores.number_zero"
    branch.node.extend([
        helper.make_node("Transpose", [state], [column], perm=[0, 2, 1]),
        helper.make_node("DynamicQuantizeLinear", [column], [number, number_scale, number_zero]),
        helper.make_node("MatMulInteger", [weights, number, zero, number_zero], [whole]),
        helper.make_node("Cast", [whole], ["scores.real"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["scores.real", number_scale], [scaled]),
        helper.make_node("Mul", [scaled, scale], ["scores.turned"]),
        helper.make_node("Transpose", ["scores.turned"], [SCORES], perm=[0, 2, 1]),
    ])


def next_token(decoder, branch):
    """The branch as a network of its own."""
    multiply_whole_numbers(branch)
    results = [each for each in decoder.graph.output if ".encoder." not in each.name]
    nodes, read = needed_for(branch.node, names_of(results))
    return network(decoder, nodes, [each for each in decoder.graph.input if each.name in read], results,
                   [each for each in decoder.graph.initializer if each.name in read])


def store(model, folder, name):
    weights = os.path.join(folder, f"{name}.data")
    if os.path.exists(weights):
        os.remove(weights)  # The module would append.
    onnx.save(model, os.path.join(folder, f"{name}.onnx"), save_as_external_data=True, location=f"{name}.data",
              size_threshold=STORED_IN_NETWORK_MAX)


def main():
    encoder_path, decoder_path, folder = sys.argv[1:]
    decoder = onnx.load(decoder_path)
    branches = {each.name: each.g for each in decoder.graph.node[0].attribute}
    store(next_token(decoder, branches["then_branch"]), folder, "decoder")
    # Last, because it renames values of the decoder.
    store(with_keys_and_values(onnx.load(encoder_path), decoder, branches["else_branch"]), folder, "encoder")


if __name__ == "__main__":
    main()
