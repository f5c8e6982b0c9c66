import { isObject } from '../../../core/is-object.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { ListBody, ScreeningRow } from '../../../domains/screening/model.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { jsonLines } from '../../bodies/json/json-stream.js'
import {
  BrokenBody,
  linePosition,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { type EntityRows, readEntity, rowsOfEntity } from './entity.js'
import { createStatedSize } from './stated-size.js'

const LIST = 'opensanctions'

const FACTS = { provider: PROVIDERS.openSanctions, dataset: 'screening', part: LIST } as const

/** All entities of a dataset of OpenSanctions; an entity that the file lacks has left the dataset. */
export const openSanctionsEntities: StreamFeed<ScreeningRow> = {
  ...FACTS,
  id: 'opensanctions',
  description:
    'Entities with an LEI and their designations: a whole dataset in FollowTheMoney, a JSON a line',
  cadence: 'daily, where SCHEDULE names opensanctions',
  fileNames: ['entities.ftm.json'],
  request: () => ({
    url: 'https://data.opensanctions.org/datasets/latest/sanctions/entities.ftm.json',
    headers: { accept: 'application/json' },
  }),
  statedSize: createStatedSize('sanctions', 'entities.ftm.json'),
  parseStream: parseEntities,
}

/** The changes between two versions of the dataset. */
export const openSanctionsDelta: StreamFeed<ScreeningRow> = {
  ...FACTS,
  id: 'opensanctions-delta',
  description: 'Changes of the dataset: ADD, MOD and DEL, a JSON a line; each version in its order',
  cadence: 'by file only',
  fileNames: ['entities.delta.json'],
  takesSeveralFiles: true,
  parseStream: parseDelta,
}

/** Reads the entities of a file; those without an LEI are left out. */
export async function* parseEntities(
  chunks: AsyncIterable<Uint8Array>,
  { now, onAbsent }: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  const duplicates = new DuplicateRows()
  let isDamaged = false
  let entities = 0
  for await (const read of jsonLines(chunks)) {
    const position = `line ${read.line}`
    const entity = 'reason' in read ? read : readEntity(read.value, now)
    if ('reason' in entity) {
      isDamaged = true
      yield rejected(position, entity.reason)
      continue
    }
    entities += 1
    const { rows, refused } = rowsOfEntity(entity, body)
    for (const reason of refused) yield rejected(position, reason)
    if (rows.length === 0 && !duplicates.has(entity.id)) {
      if (refused.length === 0) onAbsent()
      continue
    }
    const double = duplicates.note(entity.id, JSON.stringify(entity))
    if (double === 'new') for (const row of rows) yield { kind: 'row', row }
    if (double === 'same') onAbsent()
    if (double === 'new' || double === 'same') continue
    isDamaged = true
    const reason = `the entity ${quoted(entity.id)} is repeated with different content`
    const contradicts = { kind: 'gone', body, id: entity.id, observedAt: null } as const
    yield { kind: 'rejected', position, reason, ...(double === 'other' ? { contradicts } : {}) }
  }
  if (entities === 0) throw new BrokenBody('the body has no entity')
  body.isComplete = !isDamaged
}

const OPERATIONS = new Set(['ADD', 'MOD', 'DEL'])

/** Reads a delta; if several lines have the same entity, the last counts. */
export async function* parseDelta(
  chunks: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: false, isComplete: true }
  let changes = 0
  for await (const read of jsonLines(chunks)) {
    const position = linePosition(context, read.line)
    const change = 'reason' in read ? read : readChange(read.value, context.now, body)
    if ('reason' in change) {
      yield rejected(position, change.reason)
      continue
    }
    changes += 1
    const { rows, refused } = change
    for (const reason of refused) yield rejected(position, reason)
    for (const row of rows) yield { kind: 'row', row }
  }
  if (changes === 0) throw new BrokenBody('the body has no change of an entity')
}

/** Converts a line of a delta to changes of the store, or rejects it. */
function readChange(
  { op, entity: given }: Readonly<Record<string, unknown>>,
  now: Date,
  body: ListBody,
): EntityRows | { readonly reason: string } {
  if (typeof op !== 'string' || !OPERATIONS.has(op)) return { reason: 'has no operation ADD, MOD or DEL' }
  const isGone = op === 'DEL'
  // A deletion may have the id only.
  const entity = readEntity(isGone && isObject(given) ? { schema: 'Thing', ...given } : given, now)
  if ('reason' in entity) return entity
  const { rows, refused } = isGone ? { rows: [], refused: [] } : rowsOfEntity(entity, body)
  // A subject without any LEI is removed from the store. If an LEI cannot be read, the stored one stays.
  if (rows.length > 0 || refused.length > 0) return { rows, refused }
  return { rows: [{ kind: 'gone', body, id: entity.id, observedAt: entity.lastSeen }], refused }
}

function rejected(position: string, reason: string): Parsed<never> {
  return { kind: 'rejected', position, reason }
}
