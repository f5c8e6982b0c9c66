import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'

/** graphql does not print it, because newer specifications have it built in; older tools need the definition. */
const ONE_OF_DEFINITION = 'directive @oneOf on INPUT_OBJECT'

/** The sorted SDL of a schema. */
export function schemaText(schema: GraphQLSchema): string {
  return `${ONE_OF_DEFINITION}\n\n${printSchema(lexicographicSortSchema(schema))}\n`
}
