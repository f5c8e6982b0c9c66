import type { Prisma } from '../../../generated/prisma/client.js'

/**
 * Prisma's client for models and raw statements. Several statements that belong together go through
 * `Database.transaction`, which plain SQL can join: Prisma's own `$transaction` is not offered.
 */
export type PrismaModels = Omit<Prisma.TransactionClient, '$transaction'>

/** One call of the client: `operation` of a model, or a raw statement, which has no model. */
interface PrismaCall {
  readonly model: string | undefined
  readonly operation: string
  readonly given: readonly unknown[]
  /** Makes the same call on another client. */
  readonly on: (other: PrismaModels) => Promise<unknown>
}

/** Wraps each call; returns the result of `run`. */
type AroundCall = (call: PrismaCall, run: () => Promise<unknown>) => Promise<unknown>

/** The same client with `around` around each call. A call starts at once, not when it is first awaited. */
export function aroundCalls(client: PrismaModels, around: AroundCall): PrismaModels {
  const operations = (target: object, model: string | undefined): object =>
    wrapped(target, (value, operation) => {
      if (typeof value === 'function')
        return (...given: readonly unknown[]) => {
          const on = async (other: PrismaModels) => callOperation(other, model, operation, given)
          return around({ model, operation, given, on }, () => on(client))
        }
      return value !== null && typeof value === 'object' ? operations(value, operation) : value
    })
  return operations(client, undefined) as PrismaModels // each member as the client has it
}

function callOperation(
  client: object,
  model: string | undefined,
  operation: string,
  given: readonly unknown[],
): unknown {
  const target: object = model === undefined ? client : Reflect.get(client, model)
  return Reflect.get(target, operation).apply(target, given)
}

/** An object whose members are derived from those of the target, each once. */
function wrapped(target: object, make: (value: unknown, name: string) => unknown): object {
  const members = new Map<string, unknown>()
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === 'symbol') return Reflect.get(target, name)
      if (!members.has(name)) members.set(name, make(Reflect.get(target, name), name))
      return members.get(name)
    },
  })
}
