/** A mistake on the command line; the help is one option away. */
export class UsageError extends Error {}
