import { GraphQLError } from 'graphql'
import { edgesOf, type OperationPlan } from '../../../schema-kit/operation-plan.js'
import { toPublicError } from '../errors.js'

/**
 * The errors of nullable edges that the plan refused: one for all parents, with a path without list indices. The resolver
 * of a non-null edge throws the error itself.
 */
export function refusedEdges(plan: OperationPlan): readonly GraphQLError[] {
  return edgesOf(plan).flatMap(({ path, nodes, isNullable, outcome }) => {
    const [root = ''] = path
    if (!isNullable || !('error' in outcome) || !isPlanned(plan.fields, root)) return []
    const { error } = outcome
    // `toPublicError` reads the original error.
    const originalError = error instanceof Error ? error : new Error(String(error))
    return [new GraphQLError(originalError.message, { nodes, path, originalError })]
  })
}

/** Whether the root field may run. The error of a refused one makes those of its edges redundant. */
function isPlanned(fields: OperationPlan['fields'], key: string): boolean {
  const field = fields.get(key)
  return field !== undefined && !('error' in field)
}

/** Merges equal 403s of an edge, which several parents caused, into one with a path without list indices. */
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

/** The edge or field of a 403; null for any other error. */
export function refusedEdgeOf(error: GraphQLError): string | null {
  const { path } = error
  return path && toPublicError(error).code === 'forbidden' ? toEdgeKey(withoutIndices(path)) : null
}

/** A path without list indices as a key. */
export function toEdgeKey(path: readonly (string | number)[]): string {
  return path.join('.')
}

/** Removes the list indices from a path. */
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
