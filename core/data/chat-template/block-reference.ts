import { PyObject, type PyValue } from "./values.js";

/** The variable `self`: the blocks of the template. */
export class TemplateReference extends PyObject {
  readonly typeName = "TemplateReference";

  constructor(private readonly find: (name: string) => BlockReference | undefined) {
    super();
  }

  override attribute(name: string): PyValue | undefined {
    return this.find(name);
  }
}

/** Calling it gives the text of a block once more. */
export class BlockReference extends PyObject {
  readonly typeName = "BlockReference";

  constructor(private readonly render: () => string) {
    super();
  }

  override call(): PyValue {
    return this.render();
  }
}
