/** A pattern that is no regular expression, or uses what cannot be expressed in JavaScript. */
export class PatternError extends Error {}
