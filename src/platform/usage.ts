import { addDays, type IsoDate, isoDateOf } from '../core/time.js'
import type { Sql } from './database.js'
import type { Logger } from './logger.js'

export interface UsageEntry {
  readonly accountId: string
  /** Null for a call with an access token. */
  readonly keyId: string | null
  /** Root field, e.g. forex. */
  readonly operation: string
  /** Units charged. */
  readonly units: number
  /** Requests answered. */
  readonly requests: number
  readonly at: Date
}

/** What was charged, added up in memory and written every 2 s: a crash forgets at most that. */
export interface UsageRecorder {
  record(entry: UsageEntry): void
  /** Writes what was recorded so far; a failure is logged once and the figures are kept for the next flush. */
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_MS = 2_000

/** How long usage is kept, as published. */
export const USAGE_DAYS = 90

/** Stands for "by access token": the column is part of the primary key, so it cannot be null. */
const NO_KEY = '00000000-0000-0000-0000-000000000000'

interface Total {
  readonly accountId: string
  readonly keyId: string
  readonly day: IsoDate
  readonly operation: string
  units: number
  requests: number
}

export function createUsageRecorder(sql: Sql, log: Logger): UsageRecorder {
  let totals = new Map<string, Total>()
  let flushing: Promise<void> | null = null
  let isFailing = false

  const add = (total: Total) => {
    const name = nameOf(total)
    const known = totals.get(name)
    if (known === undefined) totals.set(name, { ...total })
    else {
      known.units += total.units
      known.requests += total.requests
    }
  }

  const write = async () => {
    if (totals.size === 0) return
    const written = [...totals.values()]
    totals = new Map()
    try {
      await addUsage(sql, written)
      isFailing = false
    } catch (error) {
      for (const total of written) add(total)
      if (!isFailing) log.error({ err: error }, 'usage could not be written; trying again')
      isFailing = true
    }
  }

  const flush = () => {
    flushing ??= write().finally(() => {
      flushing = null
    })
    return flushing
  }

  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()
  return {
    record: ({ accountId, keyId, operation, units, requests, at }) => {
      const key = keyId ?? NO_KEY
      const day = dayOf(at)
      const known = totals.get(`${accountId} ${key} ${day} ${operation}`)
      if (known === undefined) add({ accountId, keyId: key, day, operation, units, requests })
      else {
        known.units += units
        known.requests += requests
      }
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}

const DAY_MS = 86_400_000
let today = { number: Number.NaN, day: '' as IsoDate } // replaced by the first use

/** The day of an instant; all of a day's requests share its text. */
function dayOf(at: Date): IsoDate {
  const number = Math.floor(at.getTime() / DAY_MS)
  if (number !== today.number) today = { number, day: isoDateOf(at) }
  return today.day
}

function nameOf(total: Total): string {
  return `${total.accountId} ${total.keyId} ${total.day} ${total.operation}`
}

/** Nodes that write at once lock the rows in the same order. */
async function addUsage(sql: Sql, totals: readonly Total[]): Promise<void> {
  await sql.rows(
    `insert into usage_day (account_id, key_id, day, operation, units, requests)
     select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bigint[], $6::bigint[])
       as n(account_id, key_id, day, operation, units, requests)
     order by account_id, day, key_id, operation
     on conflict (account_id, day, key_id, operation) do update set
       units = usage_day.units + excluded.units, requests = usage_day.requests + excluded.requests`,
    [
      totals.map((total) => total.accountId),
      totals.map((total) => total.keyId),
      totals.map((total) => total.day),
      totals.map((total) => total.operation),
      totals.map((total) => total.units),
      totals.map((total) => total.requests),
    ],
  )
}

export interface UsageQuery {
  readonly accountId: string
  /** First and last UTC day, both inclusive. */
  readonly from: IsoDate
  readonly to: IsoDate
  /** Only what this key asked; left out: all keys and tokens of the account. */
  readonly keyId?: string
}

export interface UsageRow {
  readonly day: IsoDate
  readonly operation: string
  readonly units: number
  readonly requests: number
}

/** Totals per day and operation, the newest day first, operations by name; days without use have no row. */
export function readUsage(sql: Sql, query: UsageQuery): Promise<readonly UsageRow[]> {
  return sql.rows<UsageRow>(
    `select day, operation, sum(units)::bigint as units, sum(requests)::bigint as requests
     from usage_day
     where account_id = $1::uuid and day between $2::date and $3::date and ($4::uuid is null or key_id = $4::uuid)
     group by day, operation order by day desc, operation`,
    [query.accountId, query.from, query.to, query.keyId ?? null],
  )
}

/** Deletes usage of days more than 90 days before the instant's; to be run once a day by one node. */
export async function deleteOldUsage(sql: Sql, now: Date): Promise<void> {
  await sql.rows('delete from usage_day where day < $1::date', [addDays(isoDateOf(now), -USAGE_DAYS)])
}
