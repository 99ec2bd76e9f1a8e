import {
  ONNX_DTYPE_CODES,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxModel,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValueInfo,
} from "./model.js";
import { WireWriter } from "./wire-writer.js";

/** Serialise a model to the bytes of a `.onnx` file. Field numbers are those of `onnx.proto`. */
export function encodeModel(model: OnnxModel): Uint8Array {
  const w = new WireWriter();
  w.varintField(1, model.irVersion);
  w.stringField(2, "verl-ts");
  w.messageField(7, (m) => writeGraph(m, model));
  for (const [domain, version] of Object.entries(model.opsets)) {
    w.messageField(8, (m) => {
      if (domain) m.stringField(1, domain);
      m.varintField(2, version);
    });
  }
  return w.finish();
}

function writeGraph(w: WireWriter, graph: OnnxGraph): void {
  for (const node of graph.nodes) w.messageField(1, (m) => writeNode(m, node));
  w.stringField(2, graph.graphName);
  for (const tensor of graph.initializers) w.messageField(5, (m) => writeTensor(m, tensor));
  for (const value of graph.inputs) w.messageField(11, (m) => writeValueInfo(m, value));
  for (const value of graph.outputs) w.messageField(12, (m) => writeValueInfo(m, value));
}

function writeNode(w: WireWriter, node: OnnxNode): void {
  for (const input of node.inputs) w.stringField(1, input);
  for (const output of node.outputs) w.stringField(2, output);
  w.stringField(3, node.name);
  w.stringField(4, node.opType);
  for (const [name, attribute] of Object.entries(node.attributes)) {
    w.messageField(5, (m) => writeAttribute(m, name, attribute));
  }
  if (node.domain) w.stringField(7, node.domain);
}

const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, tensor: 4, graph: 5, ints: 7 } as const;

function writeAttribute(w: WireWriter, name: string, attribute: OnnxAttribute): void {
  w.stringField(1, name);
  switch (attribute.kind) {
    case "float":
      w.floatField(2, attribute.value);
      break;
    case "int":
      w.varintField(3, attribute.value);
      break;
    case "string":
      w.stringField(4, attribute.value);
      break;
    case "tensor":
      w.messageField(5, (m) => writeTensor(m, attribute.value));
      break;
    case "graph":
      w.messageField(6, (m) => writeGraph(m, attribute.value));
      break;
    case "ints":
      for (const x of attribute.value) w.varintField(8, x);
      break;
  }
  w.varintField(20, ATTRIBUTE_TYPE[attribute.kind]);
}

function writeTensor(w: WireWriter, tensor: OnnxTensor): void {
  for (const dim of tensor.dims) w.varintField(1, dim);
  w.varintField(2, ONNX_DTYPE_CODES[tensor.dtype]);
  w.stringField(8, tensor.name);
  const { data } = tensor;
  if (ArrayBuffer.isView(data)) {
    w.bytesField(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return;
  }
  for (const [key, value] of Object.entries(data)) {
    w.messageField(13, (m) => {
      m.stringField(1, key);
      m.stringField(2, String(value));
    });
  }
  w.varintField(14, 1);
}

function writeValueInfo(w: WireWriter, value: OnnxValueInfo): void {
  w.stringField(1, value.name);
  w.messageField(2, (type) =>
    type.messageField(1, (tensor) => {
      const { dims } = value;
      tensor.varintField(1, ONNX_DTYPE_CODES[value.dtype]);
      if (dims === null) return;
      tensor.messageField(2, (shape) => {
        for (const dim of dims) {
          shape.messageField(1, (d) => (typeof dim === "string" ? d.stringField(2, dim) : d.varintField(1, dim)));
        }
      });
    }),
  );
}
