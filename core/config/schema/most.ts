/** Samples of one prompt, which are held together; rows of data may ask for as many. */
export const MAX_SAMPLES = 10_000;
/** Trajectories of a step, and prompts: the largest runs have a sixteenth of it. */
export const MAX_TRAJECTORIES = 2 ** 20;
/** Tokens of a prompt, a response, or both: no model has more positions. */
export const MAX_TOKENS = 2 ** 24;
/** Sequences that a server decodes at the same time, each with its share of the cache. */
export const MAX_SEQUENCES = 2 ** 16;
/** Threads and processes of one machine. */
export const MAX_WORKERS = 1024;
/** Iterations that are written out in a graph. */
export const MAX_ITERATIONS = 100;
