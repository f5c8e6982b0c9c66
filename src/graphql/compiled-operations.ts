import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import type { GraphQLContext } from './builder.js'
import type { DoorPlugin } from './door-plugin.js'

/** Compiling takes as long as some dozens of runs, and whoever sends an operation once shall not have it done. */
const RUNS_BEFORE_COMPILING = 3

interface Known {
  runs: number
  /** Null: not compiled, or never to be. */
  readonly compiled: Map<string, CompiledQuery | null>
}

/**
 * Runs operations that come again and again as compiled functions. What compiled functions do otherwise than the
 * executor never shows: an operation whose variables do not fit, or with fragments (whose members they order
 * otherwise), goes to the executor, and errors are given their places in the document.
 */
export function useCompiledOperations(): DoorPlugin {
  const operations = new WeakMap<DocumentNode, Known>()
  return {
    onExecute({ args, setExecuteFn }) {
      const { plan } = args.contextValue as unknown as GraphQLContext // made by the meter, which comes before
      // Variables that do not fit have no plan: the executor says what is wrong with them.
      if (plan.fields.size === 0 || plan.introspects) return
      const compiled = compiledOf(operations, args)
      if (compiled !== null) setExecuteFn((given: ExecutionArgs) => run(compiled, given))
    },
  }
}

function compiledOf(operations: WeakMap<DocumentNode, Known>, args: ExecutionArgs): CompiledQuery | null {
  const { document, schema } = args
  const operationName = args.operationName ?? ''
  const known = operations.get(document) ?? { runs: 0, compiled: new Map() }
  operations.set(document, known)
  const found = known.compiled.get(operationName)
  if (found !== undefined) return found
  known.runs += 1
  if (known.runs < RUNS_BEFORE_COMPILING) return null
  const compiled = compile(schema, document, operationName)
  known.compiled.set(operationName, compiled)
  return compiled
}

function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string): CompiledQuery | null {
  if (getOperationAST(document, operationName || null)?.operation !== 'query' || !isPlain(document))
    return null
  const compiled = compileQuery(schema, document, operationName, { disablingCapturingStackErrors: true })
  return isCompiledQuery(compiled) ? compiled : null
}

/** One operation without fragments, and without directives but @skip and @include. */
function isPlain(document: DocumentNode): boolean {
  if (document.definitions.length !== 1) return false
  let isPlain = true
  visit(document, {
    enter: ({ kind, ...node }) => {
      if (kind === Kind.INLINE_FRAGMENT || kind === Kind.FRAGMENT_SPREAD) isPlain = false
      if (kind === Kind.DIRECTIVE && 'name' in node) {
        const { name } = node as { readonly name: { readonly value: string } }
        if (name.value !== 'skip' && name.value !== 'include') isPlain = false
      }
    },
  })
  return isPlain
}

async function run(
  compiled: CompiledQuery,
  { document, operationName, rootValue, contextValue, variableValues }: ExecutionArgs,
): Promise<ExecutionResult> {
  const result = await compiled.query(rootValue, contextValue, variableValues)
  if (!result.errors?.length) return result
  const operation = getOperationAST(document, operationName)
  return { ...result, errors: result.errors.map((error) => located(error, operation)) }
}

/** The error with the place of its field in the document, as the executor gives it. */
function located(error: GraphQLError, operation: OperationDefinitionNode | null | undefined): GraphQLError {
  const { message, path, originalError, extensions } = error
  const nodes = operation && path ? fieldsAt(operation, path) : []
  return new GraphQLError(message, {
    nodes,
    path: path ?? null,
    originalError: originalError ?? null,
    extensions,
  })
}

function fieldsAt(
  operation: OperationDefinitionNode,
  path: readonly (string | number)[],
): readonly FieldNode[] {
  let nodes: readonly FieldNode[] = []
  let sets = [operation.selectionSet]
  for (const key of path) {
    if (typeof key === 'number') continue
    nodes = sets
      .flatMap(({ selections }) => selections)
      .flatMap((node) => (node.kind === Kind.FIELD && (node.alias ?? node.name).value === key ? [node] : []))
    sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
  }
  return nodes
}
