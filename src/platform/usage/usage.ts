import { addDays, DAY_MS, type IsoDate, startOfHour, toIsoDate } from '../../core/time.js'
import type { Sql } from '../database/database.js'
import type { PrismaModels } from '../database/prisma/prisma-models.js'
import type { Logger } from '../logger.js'
import { IF_NEWER, NumberedWrites } from '../quota/numbered-writes.js'
import { settledWithin } from '../settled-within.js'
import { ADD_KEY_HOURS, columnsOfHours, deleteOldKeyHours, KeyHours } from './key-hours.js'

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

/** Charged units, summed in memory and written every 2 s. A crash loses at most the last 2 s. */
export interface UsageRecorder {
  record(entry: UsageEntry): void
  /** Subtracts an entry, or a part of it, that was recorded on the same day for the same account, key and operation. */
  takeBack(entry: UsageEntry): void
  /** Writes the recorded figures, each once. A failure is logged once, and the figures are kept for the next flush. */
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_MS = 2_000

/** How long the close waits for the last write. */
const CLOSE_MS = 3_000

/** How long usage is kept, as published. */
export const USAGE_DAYS = 90

/** In place of a key for calls with an access token: the column is part of the primary key, so it cannot be null. */
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
  const keyHours = new KeyHours()
  const writes = new NumberedWrites(sql)
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

  /** Moves the figures since the last flush to the writes. */
  const queueTotals = () => {
    // An entry that was recorded and taken back since the last write needs no row.
    const changed = [...totals.values()].filter(({ units, requests }) => units !== 0 || requests !== 0)
    totals = new Map()
    const recorded = changed.filter((total) => !isTakenBack(total))
    if (recorded.length > 0) writes.add(ADD_USAGE, columnsOf(recorded))
    const takenBack = changed.filter(isTakenBack)
    if (takenBack.length > 0) writes.add(TAKE_BACK_USAGE, columnsOf(takenBack))
    const hours = keyHours.drain()
    if (hours.length > 0) writes.add(ADD_KEY_HOURS, columnsOfHours(hours))
  }

  const writeAll = async () => {
    try {
      await writes.send()
      queueTotals()
      await writes.send()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'usage could not be written; trying again')
      isFailing = true
    }
  }

  const flush = () => {
    flushing ??= writeAll().finally(() => {
      flushing = null
    })
    return flushing
  }

  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()
  const record = ({ accountId, keyId, operation, units, requests, at }: UsageEntry) => {
    const key = keyId ?? NO_KEY
    const day = dayOf(at)
    if (keyId !== null) keyHours.add({ keyId, hour: startOfHour(at), units })
    const known = totals.get(`${accountId} ${key} ${day} ${operation}`)
    if (known === undefined) add({ accountId, keyId: key, day, operation, units, requests })
    else {
      known.units += units
      known.requests += requests
    }
  }
  return {
    record,
    takeBack: (entry) => record({ ...entry, units: -entry.units, requests: -entry.requests }),
    flush,
    close: async () => {
      clearInterval(timer)
      const written = Promise.resolve(flushing).then(flush)
      if (!(await settledWithin(CLOSE_MS, written)))
        log.error(
          { totals: totals.size, writes: writes.size },
          'stopping although usage could not be written',
        )
    },
  }
}

let today = { number: Number.NaN, day: '' as IsoDate } // replaced by the first use

/** The day of an instant; all of a day's requests share its text. */
function dayOf(at: Date): IsoDate {
  const number = Math.floor(at.getTime() / DAY_MS)
  if (number !== today.number) today = { number, day: toIsoDate(at) }
  return today.day
}

function nameOf(total: Total): string {
  return `${total.accountId} ${total.keyId} ${total.day} ${total.operation}`
}

/** Whether more was taken back than recorded since the last write. */
function isTakenBack({ units, requests }: Total): boolean {
  return units < 0 || requests < 0
}

/**
 * Nodes that write at once lock the rows in the same order. Plain SQL: for 100 keys Prisma's client takes 100 statements and
 * 27 to 32 times the CPU (bench sql).
 */
const ADD_USAGE = `${IF_NEWER}
  insert into usage_day (account_id, key_id, day, operation, units, requests)
  select * from unnest($4::uuid[], $5::uuid[], $6::date[], $7::text[], $8::bigint[], $9::bigint[])
    as n(account_id, key_id, day, operation, units, requests)
  where exists (select from newer)
  order by account_id, day, key_id, operation
  on conflict (account_id, day, key_id, operation) do update set
    units = usage_day.units + excluded.units, requests = usage_day.requests + excluded.requests`

/** The rows were written before; one that is gone has nothing to take back. Rows are locked in the order of `ADD_USAGE`. */
const TAKE_BACK_USAGE = `${IF_NEWER}, n as materialized (
    select * from unnest($4::uuid[], $5::uuid[], $6::date[], $7::text[], $8::bigint[], $9::bigint[])
      as n(account_id, key_id, day, operation, units, requests)
    where exists (select from newer)
  ), locked as materialized (
    select account_id from usage_day u join n using (account_id, key_id, day, operation)
    order by account_id, day, key_id, operation for update of u
  )
  update usage_day u set units = greatest(0, u.units + n.units), requests = greatest(0, u.requests + n.requests)
  from n where (u.account_id, u.day, u.key_id, u.operation) = (n.account_id, n.day, n.key_id, n.operation)
    and (select count(*) from locked) > 0`

function columnsOf(totals: readonly Total[]): readonly unknown[] {
  return [
    totals.map((total) => total.accountId),
    totals.map((total) => total.keyId),
    totals.map((total) => total.day),
    totals.map((total) => total.operation),
    totals.map((total) => total.units),
    totals.map((total) => total.requests),
  ]
}

export interface UsageQuery {
  readonly accountId: string
  /** First and last UTC day, both inclusive. */
  readonly from: IsoDate
  readonly to: IsoDate
  /** Only the requests of this key; by default those of all keys and tokens of the account. */
  readonly keyId?: string
}

export interface UsageRow {
  readonly day: IsoDate
  readonly operation: string
  readonly units: number
  readonly requests: number
}

/** Totals per day and operation, the newest day first, operations by name; days without use have no row. */
export async function loadUsage(
  prisma: PrismaModels,
  { accountId, from, to, keyId }: UsageQuery,
): Promise<readonly UsageRow[]> {
  const rows = await prisma.usageDay.groupBy({
    by: ['day', 'operation'],
    where: {
      accountId,
      day: { gte: new Date(from), lte: new Date(to) },
      ...(keyId !== undefined && { keyId }),
    },
    _sum: { units: true, requests: true },
    orderBy: [{ day: 'desc' }, { operation: 'asc' }],
  })
  return rows.map(({ day, operation, _sum }) => ({
    day: toIsoDate(day),
    operation,
    units: Number(_sum.units ?? 0),
    requests: Number(_sum.requests ?? 0),
  }))
}

/** Deletes usage older than 90 days. One node runs it once a day. */
export async function deleteOldUsage(prisma: PrismaModels, now: Date): Promise<void> {
  const day = { lt: new Date(addDays(toIsoDate(now), -USAGE_DAYS)) }
  await prisma.usageDay.deleteMany({ where: { day } })
  await deleteOldKeyHours(prisma, now)
}
