import {
  type DocumentNode,
  type ExecutionResult,
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

/** Compiling takes as long as some dozens of runs, so an operation that is sent once is not compiled. */
const RUNS_BEFORE_COMPILING = 3

/** Compiling takes about 0.05 ms a token and blocks the event loop; operations of clients have 20 to 200. */
const MAX_TOKENS = 300

/** Bounds the share of time that compiling takes, whatever is sent: at most one operation in so many milliseconds. */
const MS_BETWEEN_COMPILATIONS = 100

/** Of all compiled operations together. */
const MAX_BYTES = 16 * 2 ** 20

/** Measured on Node 20: at most 2,480 resident bytes a token with the syntax tree, and more once the functions run. */
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
 * Queries that come again and again, compiled to functions, within a bound of bytes. One queue of least recent use for
 * all, so it is for callers with a key alone. Operations that compiled functions answer otherwise than the executor
 * stay with the executor: fragments (members in another order), directives, and mutations.
 *
 * What it buys, as the gateway's CPU time with it of that without, on Node 20 and 24 in one run of `npm run bench` each:
 * `rest-ai-latest` cold 0.73 and 0.70, `graphql-asset` 0.75 and 0.82, `graphql-nested` 0.61 and 0.63.
 *
 * graphql-jit 0.8.7, not 0.8.9: since 0.8.8 compiled functions make the path of every leaf, for an error that it seldom
 * has, and the nested queries of `npm run bench` took 1.12 (Node 20) and 1.2 times (Node 24) the CPU time.
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

  /** The compiled operation of a valid document; null: the executor runs it. */
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
      this.#runs.set(document, Number.POSITIVE_INFINITY) // never asked about again
      return null
    }
    this.#lastMs = nowMs
    this.#compiled.set(document, compiled)
    this.#runs.delete(document) // pushed out by others, it has to come again as often
    return compiled.run
  }

  /** Bytes that the compiled operations take, about. */
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

const fixed = new WeakMap<DocumentNode, RunCompiled | null>()

/** A document that the gateway itself made, compiled when it first comes; null: the executor runs it. Mutations are not compiled. */
export function compileFixed(schema: GraphQLSchema, document: DocumentNode): RunCompiled | null {
  const known = fixed.get(document)
  if (known !== undefined) return known
  const run =
    onlyQuery(document) === null
      ? null
      : compileQuery(schema, document, '', { disablingCapturingStackErrors: true })
  const made: RunCompiled | null =
    run !== null && isCompiledQuery(run)
      ? async (context, variables) => run.query(undefined, context, variables)
      : null
  fixed.set(document, made)
  return made
}

/** Up to one more than an operation may have to be compiled. */
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

/** The variables whose enum has texts beside its names, each with the names by text. */
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

/** The variables with the names of enum values in place of their texts. */
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

/** Without fragments, directives, and the name that would set the prototype of a compiled function's object. */
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
  return { ...result, errors: result.errors.map((error) => located(error, operation)) }
}

/** The error with the place of its field in the document, as the executor gives it. */
function located(error: GraphQLError, operation: OperationDefinitionNode): GraphQLError {
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
