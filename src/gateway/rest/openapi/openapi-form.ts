/**
 * The short document is for readers and tools: a list or series is one operation with several media types. The full one is
 * for generated clients: each file format is an operation, so that the 200 of the others is JSON alone. It also contains
 * the text of the equivalent GraphQL operations.
 */
export type OpenApiForm = 'short' | 'full'
