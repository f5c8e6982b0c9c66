import DataLoader from 'dataloader'
import { type Group, groupBy } from '../../../core/group-by.js'
import type { RequestContext } from '../request-context.js'
import { BatchLoader, type Load } from './batch-loader.js'

export type LoaderOf<Key, Value> = (context: RequestContext) => DataLoader<Key, Value | null, string>

/** Values by the text of their key, or in the order of the keys. */
type Found<Value> = ReadonlyMap<string, Value> | readonly (Value | null | undefined)[]

function findValue<Value>(found: Found<Value>, text: string, at: number): Value | null {
  return ('get' in found ? found.get(text) : found[at]) ?? null
}

/**
 * One DataLoader per request and definition. `load` gets the distinct keys of one tick. A key without a value loads as null.
 * Keys that are objects need `keyText`.
 */
export function defineLoader<Key, Value>(
  load: (keys: readonly Key[], context: RequestContext) => Promise<Found<Value>>,
  keyText: (key: Key) => string = String,
): LoaderOf<Key, Value> {
  const loaders = new WeakMap<RequestContext, DataLoader<Key, Value | null, string>>()
  return (context) => {
    const existing = loaders.get(context)
    if (existing) return existing
    const loader = new DataLoader<Key, Value | null, string>(
      async (keys) => {
        const found = await load(keys, context)
        return keys.map((key, at) => findValue(found, keyText(key), at))
      },
      { cacheKeyFn: keyText },
    )
    loaders.set(context, loader)
    return loader
  }
}

export interface SharedLoader<Key, Value> {
  readonly load: Load<Key, Value>
  readonly keyText?: (key: Key) => string
  /** Everything that the load depends on except the keys and the database. Keys with an equal batch key are loaded together. */
  readonly batchKey: (key: Key, context: RequestContext) => string
}

/** A loader for hot reads of few rows: simultaneous requests share one statement (see BatchLoader). */
export function defineSharedLoader<Key, Value>({
  load,
  keyText = String,
  batchKey,
}: SharedLoader<Key, Value>): LoaderOf<Key, Value> {
  const shared = new BatchLoader(load, keyText, batchKey)
  return defineLoader((keys, context) => shared.load(keys, context), keyText)
}

interface GroupedLoad<Key, Value> {
  /** What a statement depends on except its keys: the keys with an equal text share one. */
  readonly groupText: (key: Key) => string
  /** Tells the keys of a group apart. */
  readonly itemText: (key: Key) => string
  /** Loads a group by one statement: values by `itemText`, or in the order of the keys. */
  readonly load: (keys: Group<Key>, context: RequestContext) => Promise<Found<Value>>
}

/** Loads keys group by group, for `defineLoader` and `defineSharedLoader`. */
export function groupedLoad<Key, Value>({ groupText, itemText, load }: GroupedLoad<Key, Value>) {
  const keyText = (key: Key) => `${itemText(key)} ${groupText(key)}`
  const loadGroups: Load<Key, Value> = async (keys, context) => {
    const values = new Map<string, Value>()
    for (const group of groupBy(keys, groupText).values()) {
      const found = await load(group, context)
      for (const [at, key] of group.entries()) {
        const value = findValue(found, itemText(key), at)
        if (value !== null) values.set(keyText(key), value)
      }
    }
    return values
  }
  return { load: loadGroups, keyText }
}

/** A loader whose keys of a group share one statement. */
export function defineGroupedLoader<Key, Value>(grouped: GroupedLoad<Key, Value>): LoaderOf<Key, Value> {
  const { load, keyText } = groupedLoad(grouped)
  return defineLoader(load, keyText)
}
