#!/usr/bin/env python3
"""Joins operations of a network in the ONNX format, for ONNX Runtime: join_operations.py NETWORK RESULT

The result computes the same, up to rounding, in two thirds of the time. PaddleOCR's networks contain a pass over the
picture for each scale and shift and four for each hard swish. ONNX Runtime also has to change the order of the values
in memory around these passes.
"""

import sys

import numpy
import onnx
from onnx import helper, numpy_helper

CONVOLUTIONS = ("Conv", "ConvTranspose")


class Network:
    def __init__(self, model):
        self.graph = model.graph
        self.constants = {each.name: numpy_helper.to_array(each) for each in self.graph.initializer}
        self.constants.update({node.output[0]: numpy_helper.to_array(node.attribute[0].t)
                               for node in self.graph.node if node.op_type == "Constant"})
        self.nodes = [node for node in self.graph.node if node.op_type != "Constant"]
        self.results = {each.name for each in self.graph.output}
        self.added = 0

    def new_name(self):
        self.added += 1
        return f"joined.{self.added}"

    def new_constant(self, values):
        name = self.new_name()
        self.constants[name] = numpy.asarray(values, numpy.float32)
        return name

    def producer(self, value):
        return next((node for node in self.nodes if value in node.output), None)

    def consumers(self, value):
        return [node for node in self.nodes if value in node.input]

    def only_consumer(self, value):
        consumers = self.consumers(value)
        return consumers[0] if len(consumers) == 1 and value not in self.results else None

    def remove(self, nodes, result, instead):
        """Removes nodes whose only used output is `result`, for which `instead` stands from now on."""
        self.nodes = [node for node in self.nodes if node not in nodes]
        for node in self.consumers(result):
            set_inputs(node, [instead if each == result else each for each in node.input])

    def constant_operand(self, node, value):
        """The other operand, if it is constant and has one number or one for each channel."""
        others = [self.constants.get(each) for each in node.input if each != value]
        if len(others) != 1 or others[0] is None or others[0].size != max((*others[0].shape[-3:-2], 1)):
            return None
        return others[0].ravel()

    def scale_and_shift_after(self, value):
        """What the next nodes do to `value`: (scale, shift, the nodes, their result)."""
        scale, shift, nodes = numpy.float32(1), numpy.float32(0), []
        while node := self.only_consumer(value):
            if node.op_type == "BatchNormalization":
                factor, addend, mean, variance = (self.constants[each] for each in node.input[1:])
                factor = factor / numpy.sqrt(variance + attribute(node, "epsilon"))
                scale, shift = scale * factor, (shift - mean) * factor + addend
            else:
                operand = self.constant_operand(node, value) if node.op_type in ("Mul", "Add") else None
                if operand is None:
                    break
                scale, shift = (scale * operand, shift * operand) if node.op_type == "Mul" else (scale, shift + operand)
            nodes.append(node)
            value = node.output[0]
        return scale, shift, nodes, value

    def set_weights(self, convolution, weights, shift):
        set_inputs(convolution, [convolution.input[0], self.new_constant(weights), self.new_constant(shift)])

    def weights(self, convolution):
        """(weights, shift for each channel of the result)"""
        weights = self.constants[convolution.input[1]]
        channels = weights.shape[0 if convolution.op_type == "Conv" else 1]
        has_shift = len(convolution.input) > 2
        return weights, self.constants[convolution.input[2]] if has_shift else numpy.zeros(channels, numpy.float32)

    def absorb_next(self, convolution):
        """Scales and shifts the result of a convolution in its weights."""
        scale, shift, nodes, result = self.scale_and_shift_after(convolution.output[0])
        weights, own_shift = self.weights(convolution)
        axes = (-1, 1, 1, 1) if convolution.op_type == "Conv" else (1, -1, 1, 1)
        self.set_weights(convolution, weights * numpy.reshape(scale, axes), own_shift * scale + shift)
        self.remove(nodes, result, convolution.output[0])

    def hard_swish_of(self, value):
        """The nodes of value * clip(value + 3, 0, 6) / 6, if these are its consumers."""
        consumers = {node.op_type: node for node in self.consumers(value)}
        if set(consumers) != {"Add", "Mul"} or self.constant_operand(consumers["Add"], value) != 3:
            return None
        clip = self.only_consumer(consumers["Add"].output[0])
        division = self.only_consumer(consumers["Mul"].output[0])
        if clip is None or clip.op_type != "Clip" or clip.output[0] not in consumers["Mul"].input:
            return None
        if division is None or division.op_type != "Div":
            return None
        return [consumers["Add"], clip, consumers["Mul"], division]

    def join_hard_swish(self, convolution):
        """As value * HardSigmoid(value). The scale and the shift that follow go into the next convolutions, or become
        a convolution of single points, for which ONNX Runtime need not change the order of the values."""
        value = convolution.output[0]
        swish = self.hard_swish_of(value)
        if swish is None:
            return
        scale, shift, others, result = self.scale_and_shift_after(swish[-1].output[0])
        at = self.nodes.index(convolution) + 1
        gate, product, shifted = self.new_name(), self.new_name(), self.new_name()
        joined = [helper.make_node("HardSigmoid", [value], [gate], alpha=1 / 6, beta=0.5),
                  helper.make_node("Mul", [value, gate], [product])]
        # Padding adds zeros, to which the shift must not be added.
        is_last = all(node.op_type == "Conv" and not any(attribute(node, "pads")) for node in self.consumers(result))
        self.remove([*swish, *others], result, product if is_last else shifted)
        if is_last:
            for node in self.consumers(product):
                weights, own_shift = self.weights(node)
                self.set_weights(node, weights * scale, own_shift + shift * weights.sum(axis=(1, 2, 3)))
        else:
            channels = len(self.weights(convolution)[1])
            weights = [self.new_constant(numpy.full((channels, 1, 1, 1), scale)),
                       self.new_constant(numpy.full(channels, shift))]
            joined.append(helper.make_node("Conv", [product, *weights], [shifted], group=channels, kernel_shape=[1, 1]))
        self.nodes[at:at] = joined

    def join_gate(self, addition):
        """value + value * gate becomes value * (gate + 1): a gate has one number for each channel."""
        for value, scaled in (addition.input, reversed(addition.input)):
            product = self.producer(scaled)
            if product is None or product.op_type != "Mul" or value not in product.input:
                continue
            gate = next(each for each in product.input if each != value)
            source = self.producer(gate)
            if source is None or source.op_type != "HardSigmoid" or self.only_consumer(scaled) is None:
                continue
            more = self.new_name()
            self.nodes.insert(self.nodes.index(product), helper.make_node("Add", [gate, self.new_constant([1])], [more]))
            set_inputs(product, [value, more])
            self.remove([addition], addition.output[0], scaled)
            return

    def store(self):
        used = {each for node in self.nodes for each in node.input}
        del self.graph.node[:], self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(
            numpy_helper.from_array(values, name) for name, values in self.constants.items() if name in used)


def attribute(node, name):
    return next(helper.get_attribute_value(each) for each in node.attribute if each.name == name)


def set_inputs(node, names):
    del node.input[:]
    node.input.extend(names)


def main():
    source, destination = sys.argv[1:]
    model = onnx.load(source)
    network = Network(model)
    for node in [each for each in network.nodes if each.op_type in CONVOLUTIONS]:
        network.absorb_next(node)
    for node in [each for each in network.nodes if each.op_type == "Conv"]:
        network.join_hard_swish(node)
    for node in [each for each in network.nodes if each.op_type == "Add"]:
        network.join_gate(node)
    network.store()
    model.ir_version = max(model.ir_version, 4)  # Earlier versions list each constant as an input as well.
    model.doc_string = "Changed for reelsd: operations are joined; the results are the same."
    onnx.checker.check_model(model)
    onnx.save(model, destination)


if __name__ == "__main__":
    main()
