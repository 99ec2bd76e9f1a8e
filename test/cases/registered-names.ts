/** Names under which the built-ins are registered, by registry. */
export async function registeredNames(): Promise<Readonly<Record<string, readonly string[]>>> {
  return { trainers: ["sync"] };
}
