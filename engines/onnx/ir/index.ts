export { Autodiff, once, type Pullback } from "./autodiff.js";
export { type Attributes, type AttributeValue, type Dim, Graph, MICROSOFT, type Ref } from "./graph.js";
