import type { Sql } from '../database/database.js'
import { statement } from '../database/statement.js'
import type { PlaceStore } from './places.js'

/** Longest time for a statement: a stream that opens waits for it. */
const STATEMENT_MS = 2_000

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/**
 * The slots of a name are rows of the table of counters: the holder in `points`, the end of the lease in `expire`. Plain SQL:
 * one statement finds a slot and takes it.
 */
const LEASE = statement(
  'lacks clock of the database',
  { slot: 'varchar?', isFree: 'bool' },
  `with free as materialized (
  select slot from (select 'place ' || $1::text || ' ' || n as slot, n from generate_series(1, $2::int) as n) as s
    left join rate_counter c on c.key = s.slot
  where c.key is null or c.points = $3::bigint or c.expire <= ${NOW}
  order by coalesce(c.points = $3::bigint, false) desc, n limit 1
), leased as (
  insert into rate_counter (key, points, refunded, expire)
  select slot, $3::bigint, 0, ${NOW} + $4::bigint from free
  on conflict (key) do update set points = excluded.points, refunded = 0, expire = excluded.expire
    where rate_counter.points = excluded.points or rate_counter.expire <= ${NOW}
  returning key
)
select (select key from leased) as slot, exists (select 1 from free) as "isFree"`,
)

const RENEW = statement(
  'lacks clock of the database',
  { slot: 'varchar' },
  `update rate_counter c set expire = ${NOW} + $3::bigint
   from unnest($1::text[], $2::bigint[]) as held(slot, holder)
   where c.key = held.slot and c.points = held.holder returning c.key as slot`,
)

/** Finds the row by its holder, because the answer with the slot may have been lost. */
const RELEASE = statement(
  'lacks deadline',
  {},
  `delete from rate_counter
   where points = $3::bigint and key in (select 'place ' || $1::text || ' ' || n from generate_series(1, $2::int) as n)`,
)

/** The places of a gateway whose processes share a PostgreSQL database. */
export function createPostgresPlaces(sql: Sql): PlaceStore {
  const within = { withinMs: STATEMENT_MS }
  return {
    lease: async ({ name, limit, holder }, leaseMs) => {
      // Another process may acquire the found slot first; then the next slot is tried.
      for (let attempt = 0; attempt <= limit; attempt++) {
        const [row] = await sql.rows(LEASE, [name, limit, holder, leaseMs], within)
        if (row?.slot != null) return row.slot
        if (row?.isFree !== true) return null
      }
      return null
    },
    renew: async (places, leaseMs) => {
      const held = places.flatMap(({ slot, holder }) => (slot === null ? [] : [{ slot, holder }]))
      if (held.length === 0) return new Set()
      const parameters = [held.map(({ slot }) => slot), held.map(({ holder }) => holder), leaseMs]
      const rows = await sql.rows(RENEW, parameters, within)
      return new Set(rows.map(({ slot }) => slot))
    },
    release: async ({ name, limit, holder }) => {
      await sql.rows(RELEASE, [name, limit, holder], within)
    },
    close: async () => {}, // the database is the process's own
  }
}
