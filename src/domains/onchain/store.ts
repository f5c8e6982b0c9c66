import type { EvmAddress } from '../../core/identifiers.js'
import { addDays, type IsoDate, toIsoDate } from '../../core/time.js'
import { ADDRESS_SNAPSHOT } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import type { WriteCounts } from '../../platform/bi-temporal/series-table.js'
import type { Database, Sql } from '../../platform/database/database.js'
import { DELETED_AT_ONCE, deleteInBatches } from '../../platform/database/delete-in-batches.js'
import {
  arraysOf,
  column,
  columnNames,
  jsonOfRows,
  jsonRows,
  type RowOf,
  replaced,
  selectList,
  statement,
  without,
} from '../../platform/database/statement.js'
import { LABELLED_ADDRESSES } from './labels-model.js'
import { type AddressKey, type AddressSnapshot, SNAPSHOT_RETENTION_DAYS } from './model.js'

const COLUMNS = {
  ...ADDRESS_SNAPSHOT,
  // The casts are safe: a constraint of the columns allows only verified addresses.
  address: column<EvmAddress>('text'),
  delegatedTo: column<EvmAddress | null>('text?'),
} as const

function toSnapshot({
  contractName: name,
  contractNameSource: source,
  ...row
}: RowOf<typeof COLUMNS>): AddressSnapshot {
  return { ...row, contractName: source === null ? null : { name, source } }
}

/** Selects the snapshot of an address on one day, or the newest one. */
export interface SnapshotKey extends AddressKey {
  /** Null selects the newest. */
  readonly day: IsoDate | null
}

// Plain SQL: one statement reads the newest row of several addresses. Prisma's `distinct` reads all their days, and takes 2.4
// times the CPU for 20 addresses of one day (bench sql).
const SNAPSHOTS = statement(
  'lacks newest per key',
  { number: 'int8', ...COLUMNS },
  `select requested.number, ${selectList(COLUMNS, 's')}
   from unnest($1::int[], $2::text[], $3::date[]) with ordinality as requested(chain_id, address, day, number)
   cross join lateral (
     select * from address_snapshot as s
     where s.chain_id = requested.chain_id and s.address = requested.address
       and (requested.day is null or s.snapshot_date = requested.day)
     order by s.snapshot_date desc limit 1
   ) as s`,
)

/** The snapshot of each key, in the order of the list, in one statement. Undefined without a snapshot. */
export async function loadAddressSnapshots(
  sql: Sql,
  keys: readonly SnapshotKey[],
): Promise<readonly (AddressSnapshot | undefined)[]> {
  const rows = await sql.rows(SNAPSHOTS, arraysOf(keys, 'chainId', 'address', 'day'))
  const found: (AddressSnapshot | undefined)[] = keys.map(() => undefined)
  for (const { number, ...row } of rows) found[number - 1] = toSnapshot(row)
  return found
}

// Plain SQL, as above: one statement reads the newest days of several addresses.
const DAYS = statement(
  'lacks page per key',
  { number: 'int8', day: 'date' },
  `select requested.number, s.snapshot_date as day
   from unnest($1::int[], $2::text[]) with ordinality as requested(chain_id, address, number)
   cross join lateral (
     select s.snapshot_date from address_snapshot as s
     where s.chain_id = requested.chain_id and s.address = requested.address
     order by s.snapshot_date desc limit $3
   ) as s
   order by requested.number, day desc`,
)

/** The newest days with a snapshot of each address, newest first, in the order of the list. */
export async function loadSnapshotDays(
  sql: Sql,
  keys: readonly AddressKey[],
  limit: number,
): Promise<readonly (readonly IsoDate[])[]> {
  const days: IsoDate[][] = keys.map(() => [])
  const parameters = [keys.map(({ chainId }) => chainId), keys.map(({ address }) => address), limit]
  for (const { number, day } of await sql.rows(DAYS, parameters)) days[number - 1]?.push(day)
  return days
}

/** What was read of an address; the same on a later day is no change. */
const READ = without(ADDRESS_SNAPSHOT, 'chainId', 'address', 'snapshotDate', 'observedAt', 'fetchedAt')

// Plain SQL: one statement writes a batch. Rows of the chain replace synthetic rows, never the other way round.
const WRITE = statement(
  'bulk',
  { isNew: 'bool' },
  `with given as (
     ${jsonRows(ADDRESS_SNAPSHOT, '$1')}
   ), replaced as (
     delete from address_snapshot as s using given as g
     where s.chain_id = g.chain_id and s.address = g.address and s.snapshot_date <> g.snapshot_date
       and s.source = 'seed' and g.source <> 'seed'
   )
   insert into address_snapshot as s (${columnNames(ADDRESS_SNAPSHOT)}) select ${columnNames(ADDRESS_SNAPSHOT)} from given as g
   where g.source <> 'seed' or not exists (
     select from address_snapshot as l where l.chain_id = g.chain_id and l.address = g.address and l.source <> 'seed')
   on conflict (chain_id, address, snapshot_date) do update set ${replaced(ADDRESS_SNAPSHOT)}
   where (s.source = 'seed' or s.fetched_at <= excluded.fetched_at)
     and (${columnNames(READ, 's')}) is distinct from (${columnNames(READ, 'excluded')})
   returning s.xmax = '0'::xid as "isNew"`,
)

/**
 * Stores snapshots of one source, one per address and day. If a day has two, the one fetched later stays. The list must have
 * each address and day only once.
 */
export async function writeSnapshots(
  sql: Sql,
  snapshots: readonly AddressSnapshot[],
  source: string,
): Promise<WriteCounts> {
  if (snapshots.length === 0) return { added: 0, revised: 0, unchanged: 0 }
  const given = snapshots.map(({ contractName, ...snapshot }) => ({
    ...snapshot,
    contractName: contractName?.name ?? null,
    contractNameSource: contractName?.source ?? null,
    source,
  }))
  const written = await sql.rows(WRITE, [jsonOfRows(given)])
  const added = written.filter(({ isNew }) => isNew).length
  return { added, revised: written.length - added, unchanged: snapshots.length - written.length }
}

/** Removes all snapshots of a source and returns their number. */
export const removeSnapshots = sourceRemover(({ addressSnapshot }) => [addressSnapshot])

/** Deletes snapshots of unlabelled addresses that are older than 90 days, in batches, and returns their number. */
export function deleteOldSnapshots(database: Database, now: Date): Promise<number> {
  const until = addDays(toIsoDate(now), -SNAPSHOT_RETENTION_DAYS)
  const labelled = LABELLED_ADDRESSES.map(({ address }) => address)
  const where = { snapshotDate: { lt: new Date(until) }, address: { notIn: labelled } }
  return deleteInBatches(database, async ({ prisma }) => {
    const { count } = await prisma.addressSnapshot.deleteMany({ where, limit: DELETED_AT_ONCE })
    return count
  })
}
