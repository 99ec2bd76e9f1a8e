/**
 * Thrown by a tool's `execute` for arguments that do not fit, where the schema cannot say so. The call counts as
 * `bad_arguments`, and the model reads the message: `the arguments of "…" do not fit: …`.
 */
export class BadToolArguments extends Error {}
