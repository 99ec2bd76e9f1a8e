/** Whether a metric's name fits a pattern, in which `*` stands for any text. */
export const matches = (name: string, pattern: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
};
