import DataLoader from 'dataloader'
import type { RequestContext } from './request-context.js'

/**
 * One DataLoader per request and definition. `load` gets the distinct keys of one tick and returns a map;
 * a key that is not in the map loads as null. Keys that are objects need `keyText`.
 */
export function defineLoader<Key, Value>(
  load: (keys: readonly Key[], context: RequestContext) => Promise<ReadonlyMap<string, Value>>,
  keyText: (key: Key) => string = String,
): (context: RequestContext) => DataLoader<Key, Value | null, string> {
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
