import { setImmediate as nextIteration } from 'node:timers/promises'
import { type DocumentNode, type ExecutionResult, type OperationDefinitionNode, print } from 'graphql'
import { LRUCache } from 'lru-cache'
import { noCredential } from '../../../core/errors.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { type GatewayPlugin, operationIn, planIn } from '../operation-context.js'
import { WrittenData } from './answer-text.js'
import type { FreeWork } from './free-work.js'

/** Holds the whole schema, half a megabyte, for the queries of some tools, and many small answers. */
const MAX_BYTES = 8 * 2 ** 20
const BYTES_PER_ENTRY = 512
const BYTES_PER_CHAR = 2
/** Compressed forms are kept with the bytes. They are far smaller. */
const COMPRESSED_SHARE = 1.5

/** Planning and sending a known answer takes about a millisecond per this many bytes. */
const BYTES_PER_MS = 100_000

/** Everything that an introspection answer depends on. */
export interface Introspection {
  readonly text: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>> | null
}

/**
 * Keeps introspection answers as bytes, with a limit, because they never change while the process runs. Known and new answers
 * count as free work.
 */
export class Introspections {
  readonly #work: FreeWork
  readonly #answers: LRUCache<string, Buffer>
  /** Waiting introspections; each runs in a separate iteration of the event loop. */
  #queue: Promise<void> = Promise.resolve()

  constructor(work: FreeWork, maxBytes: number = MAX_BYTES) {
    this.#work = work
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (json, key) =>
        BYTES_PER_ENTRY + Math.ceil(COMPRESSED_SHARE * json.length) + BYTES_PER_CHAR * key.length,
    })
  }

  /** Returns the JSON of the answer's data, computed by `compute` if it is not cached, or the result if it has errors. */
  async answer(
    introspection: Introspection,
    context: RequestContext,
    compute: () => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<Buffer | ExecutionResult> {
    const key = JSON.stringify([introspection.text, introspection.operationName, introspection.variables])
    this.#queue = this.#queue.then(() => nextIteration())
    await this.#queue
    const known = this.#answers.get(key)
    if (known === undefined) return this.#compute(key, context, compute)
    this.#work.spend(context, known.length / BYTES_PER_MS)
    return known
  }

  /** Runs a function whose answer is not cached, and measures the time of the call. Throws 429 or 503. */
  run<Result>(context: RequestContext, compute: () => Result): Result {
    return this.#work.run(context, compute)
  }

  async #compute(
    key: string,
    context: RequestContext,
    compute: () => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<Buffer | ExecutionResult> {
    const answer = this.run(context, () => {
      const result = compute()
      return result instanceof Promise || result.errors ? result : Buffer.from(JSON.stringify(result.data))
    })
    if (Buffer.isBuffer(answer)) this.#answers.set(key, answer)
    return answer
  }
}

/** Restricts who may introspect, caches the answers by document text, and limits the time that answers take. */
export function useIntrospection(access: 'public' | 'private', work: FreeWork): GatewayPlugin {
  const introspections = new Introspections(work)
  return {
    onContextBuilding: ({ context }) => {
      // The returned function runs after the plan is set.
      return () => {
        if (access === 'private' && planIn(context).introspects && context.principal.kind === 'anonymous')
          throw noCredential()
      }
    },
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const context = args.contextValue
      const plan = planIn(context)
      if (!plan.introspects) return
      // The executor answers introspection fields before it returns, so `run` measures them even next to other fields.
      if (plan.fields.size > 0) {
        setExecuteFn((asked) => introspections.run(context, () => executeFn(asked)))
        return
      }
      const { document, operation } = operationIn(context)
      setExecuteFn(async (asked): Promise<ExecutionResult> => {
        const key = introspectionOf(document, operation, args.variableValues ?? {})
        const answer = await introspections.answer(key, context, () => executeFn(asked))
        return Buffer.isBuffer(answer) ? { data: new WrittenData(answer) } : answer
      })
    },
  }
}

/** Omits a name and variables that do not affect the answer, so that clients cannot fill the cache by varying them. */
function introspectionOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Introspection {
  const hasVariables = (operation.variableDefinitions?.length ?? 0) > 0
  return {
    text: document.loc?.source.body ?? print(document),
    operationName: document.definitions.length > 1 ? (operation.name?.value ?? null) : null,
    variables: hasVariables ? variables : null,
  }
}
