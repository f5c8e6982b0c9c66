import { LRUCache } from 'lru-cache'
import { versionIn } from '../../platform/database/data-version.js'
import type { Database } from '../../platform/database/database.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AssetFilter } from '../assets/model.js'
import { type CardOutline, readCardOutline } from './store.js'

/** More than there are classes, tiers and markets together; a caller may make up names of markets. */
const MAX_FILTERS = 500

interface KnownOutlines {
  readonly version: number
  readonly byFilter: LRUCache<string, Promise<CardOutline>>
}

const knownByDatabase = new WeakMap<Database['identity'], KnownOutlines>()

/** The outline of what matches a filter, read once per version of the dataset: counting reads all of it. */
export function outlineOf(filter: AssetFilter, context: RequestContext): Promise<CardOutline> {
  const { byFilter } = knownOutlines(context)
  const key = `${filter.tier} ${filter.assetClass} ${filter.mic}`
  const known = byFilter.get(key)
  if (known !== undefined) return known
  const outline = readCardOutline(context.database, filter)
  byFilter.set(key, outline)
  outline.catch(() => byFilter.delete(key)) // the next request asks again
  return outline
}

function knownOutlines({ database, datasets }: RequestContext): KnownOutlines {
  const version = versionIn(datasets, 'instruments')
  const known = knownByDatabase.get(database.identity)
  if (known?.version === version) return known
  const outlines = { version, byFilter: new LRUCache<string, Promise<CardOutline>>({ max: MAX_FILTERS }) }
  knownByDatabase.set(database.identity, outlines)
  return outlines
}
