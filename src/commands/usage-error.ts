/** The command line is invalid. The message is followed by a reference to --help. */
export class UsageError extends Error {}
