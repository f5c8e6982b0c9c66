// Not the global setImmediate, which a test may replace by a fake clock.
import { setImmediate } from 'node:timers'
import type { Database } from '../../database/database.js'
import type { RequestContext } from '../request-context.js'

/** Keys of one statement: as many rows as a page has at most. */
const MAX_KEYS = 100

/** A request for more keys than this has a statement for itself, so that its rows do not delay other requests. */
const MAX_KEYS_OF_REQUEST = 4

export type Load<Key, Value> = (
  keys: readonly Key[],
  context: RequestContext,
) => Promise<ReadonlyMap<string, Value>>

interface Batch<Key, Value> {
  readonly keys: Map<string, Key>
  readonly loaded: Promise<ReadonlyMap<string, Value>>
}

/**
 * Loads the keys of all requests of one event loop iteration with one statement, so under load a request costs a share of a
 * statement. A load starts after its last request has arrived, so no request gets data that is older than the request.
 * Keys share a load if `identity` of the database and `batchKey` are equal: everything else that the load depends on.
 */
export class BatchLoader<Key, Value> {
  readonly #load: Load<Key, Value>
  readonly #keyText: (key: Key) => string
  readonly #batchKey: (key: Key, context: RequestContext) => string
  readonly #open = new WeakMap<Database['identity'], Map<string, Batch<Key, Value>>>()

  constructor(
    load: Load<Key, Value>,
    keyText: (key: Key) => string,
    batchKey: (key: Key, context: RequestContext) => string,
  ) {
    this.#load = load
    this.#keyText = keyText
    this.#batchKey = batchKey
  }

  async load(keys: readonly Key[], context: RequestContext): Promise<ReadonlyMap<string, Value>> {
    if (keys.length > MAX_KEYS_OF_REQUEST) return this.#load(keys, context)
    const batches = new Set(keys.map((key) => this.#join(key, context)))
    const [first, ...more] = await Promise.all([...batches].map(({ loaded }) => loaded))
    return more.length === 0 && first !== undefined
      ? first
      : new Map([first ?? [], ...more].flatMap((found) => [...found]))
  }

  #join(key: Key, context: RequestContext): Batch<Key, Value> {
    const batches = this.#batchesOf(context.database)
    const batchKey = this.#batchKey(key, context)
    const open = batches.get(batchKey)
    const batch =
      open !== undefined && open.keys.size < MAX_KEYS ? open : this.#newBatch(batches, batchKey, context)
    batch.keys.set(this.#keyText(key), key)
    return batch
  }

  #batchesOf({ identity }: Database): Map<string, Batch<Key, Value>> {
    const known = this.#open.get(identity)
    if (known !== undefined) return known
    const batches = new Map<string, Batch<Key, Value>>()
    this.#open.set(identity, batches)
    return batches
  }

  #newBatch(
    batches: Map<string, Batch<Key, Value>>,
    batchKey: string,
    context: RequestContext,
  ): Batch<Key, Value> {
    const keys = new Map<string, Key>()
    const loaded = new Promise<void>((begin) => setImmediate(begin)).then(() => {
      if (batches.get(batchKey) === batch) batches.delete(batchKey)
      return this.#load([...keys.values()], context)
    })
    const batch = { keys, loaded }
    batches.set(batchKey, batch)
    return batch
  }
}
