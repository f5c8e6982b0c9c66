import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  type TypeNode,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import type { GraphQLContext } from '../../../schema-kit/builder.js'
import { isTextEnum } from '../../../schema-kit/text-enum.js'
import { type GatewayPlugin, plannedContext } from '../operation-context.js'

/** Compiling takes as long as several dozen runs, so a rare operation is not compiled. */
const RUNS_BEFORE_COMPILING = 3

/** Compiling takes about 0.05 ms a token and blocks the event loop; operations of clients have 20 to 200 tokens. */
const MAX_TOKENS = 300

/** At most one operation is compiled in this many milliseconds, which bounds the share of time that compiling takes. */
const MS_BETWEEN_COMPILATIONS = 100

/** Memory of all compiled operations. */
const MAX_BYTES = 16 * 2 ** 20

/** Measured on Node 20: at most 2,480 resident bytes a token with the syntax tree, and more when the functions run. */
const BYTES_PER_TOKEN = 4_000
const BYTES_PER_ENTRY = 4_096

export type RunCompiled = (
  context: GraphQLContext,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>

interface Compiled {
  readonly bytes: number
  readonly run: RunCompiled
}

/**
 * Compiles frequent queries to functions, with a limit in bytes. All callers share one LRU list, so only callers with a
 * key use it. The executor runs operations that compiled functions would answer differently: those with fragments (the
 * order of members differs) or directives, and mutations.
 *
 * CPU time of the gateway relative to the executor, on Node 20 and 24, one run of `npm run bench` each:
 * `rest-ai-latest` cold 0.73 and 0.70, `graphql-asset` 0.75 and 0.82, `graphql-nested` 0.61 and 0.63.
 *
 * graphql-jit stays at 0.8.7: since 0.8.8 compiled functions build the path of every leaf in case it fails, and the nested
 * queries of `npm run bench` took 1.12 (Node 20) and 1.2 times (Node 24) the CPU time.
 */
export class CompiledOperations {
  readonly #schema: GraphQLSchema
  readonly #nowMs: () => number
  readonly #runs = new WeakMap<DocumentNode, number>()
  readonly #compiled: LRUCache<DocumentNode, Compiled>
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(schema: GraphQLSchema, { maxBytes = MAX_BYTES, nowMs = () => performance.now() } = {}) {
    this.#schema = schema
    this.#nowMs = nowMs
    this.#compiled = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes })
  }

  /** Returns the compiled operation of a valid document, or null if the executor must run it. */
  of(document: DocumentNode): RunCompiled | null {
    const known = this.#compiled.get(document)
    if (known !== undefined) return known.run
    const runs = (this.#runs.get(document) ?? 0) + 1
    this.#runs.set(document, runs)
    if (runs < RUNS_BEFORE_COMPILING || runs === Number.POSITIVE_INFINITY) return null
    const nowMs = this.#nowMs()
    if (nowMs - this.#lastMs < MS_BETWEEN_COMPILATIONS) return null
    const compiled = this.#compile(document)
    if (compiled === null) {
      this.#runs.set(document, Number.POSITIVE_INFINITY) // never try again
      return null
    }
    this.#lastMs = nowMs
    this.#compiled.set(document, compiled)
    this.#runs.delete(document) // after an eviction the count starts again
    return compiled.run
  }

  /** Approximate memory of the compiled operations. */
  get bytes(): number {
    return this.#compiled.calculatedSize
  }

  #compile(document: DocumentNode): Compiled | null {
    const tokens = tokensOf(document)
    const operation = onlyQuery(document)
    if (operation === null || tokens > MAX_TOKENS || !isPlain(document)) return null
    const compiled = compileQuery(this.#schema, document, operation.name?.value ?? '', {
      disablingCapturingStackErrors: true,
    })
    if (!isCompiledQuery(compiled)) return null
    const bytes = BYTES_PER_ENTRY + BYTES_PER_TOKEN * tokens
    const names = enumVariables(operation, this.#schema)
    return {
      bytes,
      run: (context, variables) => run(compiled, operation, context, withNames(variables, names)),
    }
  }
}

const routeRuns = new WeakMap<DocumentNode, RunCompiled | null>()

/** Compiles a document of the gateway on its first run. Returns null for a mutation, which the executor must run. */
export function compileRouteDocument(schema: GraphQLSchema, document: DocumentNode): RunCompiled | null {
  const known = routeRuns.get(document)
  if (known !== undefined) return known
  const run =
    onlyQuery(document) === null
      ? null
      : compileQuery(schema, document, '', { disablingCapturingStackErrors: true })
  const runCompiled: RunCompiled | null =
    run !== null && isCompiledQuery(run)
      ? async (context, variables) => run.query(undefined, context, variables)
      : null
  routeRuns.set(document, runCompiled)
  return runCompiled
}

/** Counts the tokens of a document, up to one more than MAX_TOKENS. */
function tokensOf({ loc }: DocumentNode): number {
  let count = 0
  for (let token = loc?.startToken ?? null; token !== null && count <= MAX_TOKENS; token = token.next)
    count += 1
  return count
}

function onlyQuery({ definitions }: DocumentNode): OperationDefinitionNode | null {
  const [definition, ...more] = definitions
  if (definition?.kind !== Kind.OPERATION_DEFINITION || more.length > 0) return null
  return definition.operation === 'query' ? definition : null
}

type EnumNames = ReadonlyMap<unknown, string>

/** The variables of text enums, each with the names of its values by text. */
function enumVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): readonly (readonly [variable: string, names: EnumNames])[] {
  return variableDefinitions.flatMap(({ variable, type }) => {
    const named = schema.getType(namedTypeOf(type))
    if (!isInputType(named) || !isTextEnum(named)) return []
    return [[variable.name.value, new Map(named.getValues().map(({ name, value }) => [value, name]))]]
  })
}

/** Replaces the texts of enum values in variables by their names. */
function withNames(
  variables: Readonly<Record<string, unknown>>,
  enums: ReturnType<typeof enumVariables>,
): Readonly<Record<string, unknown>> {
  if (enums.length === 0) return variables
  const named = { ...variables }
  for (const [variable, names] of enums) {
    const toName = (value: unknown) => names.get(value) ?? value
    const value = variables[variable]
    if (value !== undefined) named[variable] = Array.isArray(value) ? value.map(toName) : toName(value)
  }
  return named
}

function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type)
}

/** Whether a document has no fragments, no directives, and not the name that sets an object's prototype. */
function isPlain(document: DocumentNode): boolean {
  let isPlain = true
  const refuse = () => {
    isPlain = false
  }
  visit(document, {
    InlineFragment: refuse,
    FragmentSpread: refuse,
    Directive: refuse,
    Name: ({ value }) => {
      if (value === '__proto__') refuse()
    },
  })
  return isPlain
}

async function run(
  { query }: CompiledQuery,
  operation: OperationDefinitionNode,
  context: GraphQLContext,
  variables: Readonly<Record<string, unknown>>,
): Promise<ExecutionResult> {
  const result = await query(undefined, context, variables)
  if (!result.errors?.length) return result
  return { ...result, errors: result.errors.map((error) => withLocation(error, operation)) }
}

/** Adds the position of the field in the document to an error, like the executor does. */
function withLocation(error: GraphQLError, operation: OperationDefinitionNode): GraphQLError {
  const { message, path, originalError, extensions } = error
  return new GraphQLError(message, {
    nodes: path === undefined ? [] : fieldsAt(operation, path),
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

/**
 * Runs frequent operations as compiled functions. Graphql's executor runs the others: rare ones, those of callers without a
 * key, and large ones, which run in slices. A document of another schema belongs to a REST route; it is compiled on its
 * first run, because the number of routes is small.
 */
export function useCompiledExecution(schema: GraphQLSchema): GatewayPlugin {
  const compiled = new CompiledOperations(schema)
  return {
    onExecute: ({ args, setExecuteFn }) => {
      const planned = plannedContext(args.contextValue)
      const { document, variableValues } = args
      const mayCompile =
        planned.principal.kind !== 'anonymous' && planned.budget === undefined && !planned.plan.introspects
      const run =
        args.schema !== schema
          ? compileRouteDocument(args.schema, document)
          : mayCompile
            ? compiled.of(document)
            : null
      setExecuteFn(run === null ? execute : () => run(planned, variableValues ?? {}))
    },
  }
}
