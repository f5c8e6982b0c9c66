import { GraphQLError } from 'graphql'
import type { OperationPlan } from '../plan.js'

/** The errors of edges that the plan refused: one for all parents, at the path without the places in lists. */
export function refusedEdges({ edges, fields }: OperationPlan): readonly GraphQLError[] {
  return (edges?.refused ?? [])
    .filter(({ path: [root = ''] }) => isPlanned(fields, root))
    .map(({ path, nodes, error }) => {
      // Its public text is made from the original error.
      const originalError = error instanceof Error ? error : new Error(String(error))
      return new GraphQLError(originalError.message, { nodes, path, originalError })
    })
}

/** An error of a refused root field says all there is to it. */
function isPlanned(fields: OperationPlan['fields'], key: string): boolean {
  const field = fields.get(key)
  return field !== undefined && !('error' in field)
}
