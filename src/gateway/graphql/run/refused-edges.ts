import { GraphQLError } from 'graphql'
import type { OperationPlan } from '../../../schema-kit/operation-plan.js'
import { toPublicError } from '../errors.js'

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

/** The errors with one in place of equal 403s of an edge, which rows of several parents caused: without their places in lists. */
export function mergeByEdge(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const groups = new Map<unknown, { readonly first: GraphQLError; count: number }>()
  for (const error of errors) {
    const edge = refusedEdgeOf(error)
    const key = edge === null ? error : `${edge} ${error.message}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: error, count: 1 })
    else group.count += 1
  }
  return [...groups.values()].map(({ first, count }) => (count === 1 ? first : withoutIndicesInPath(first)))
}

/** The edge or field that a 403 of a run is of; null for any other error. */
export function refusedEdgeOf(error: GraphQLError): string | null {
  const { path } = error
  return path && toPublicError(error).code === 'forbidden' ? edgeText(withoutIndices(path)) : null
}

/** A path without places in lists, as a key. */
export function edgeText(path: readonly (string | number)[]): string {
  return path.join('.')
}

/** A path without its places in lists. */
export function withoutIndices(path: readonly (string | number)[]): readonly (string | number)[] {
  return path.filter((step) => typeof step === 'string')
}

function withoutIndicesInPath({ message, nodes, path, originalError }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    path: path ? withoutIndices(path) : null,
    originalError: originalError ?? null,
  })
}
