import DataLoader from 'dataloader'
import type { RequestContext } from '../request-context.js'
import { BatchLoader, type Load } from './batch-loader.js'

export type LoaderOf<Key, Value> = (context: RequestContext) => DataLoader<Key, Value | null, string>

/**
 * One DataLoader per request and definition. `load` gets the distinct keys of one tick and returns a map;
 * a key that is not in the map loads as null. Keys that are objects need `keyText`.
 */
export function defineLoader<Key, Value>(
  load: Load<Key, Value>,
  keyText: (key: Key) => string = String,
): LoaderOf<Key, Value> {
  const loaders = new WeakMap<RequestContext, DataLoader<Key, Value | null, string>>()
  return (context) => {
    const existing = loaders.get(context)
    if (existing) return existing
    const loader = new DataLoader<Key, Value | null, string>(
      async (keys) => {
        const found = await load(keys, context)
        return keys.map((key) => found.get(keyText(key)) ?? null)
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
