/**
 * The short document is for readers, tools and generated clients: a list or series is one operation, whose 200 is JSON alone.
 * The full one also has each text file as an operation, and the text of the equivalent GraphQL operations.
 */
export type OpenApiForm = 'short' | 'full'
