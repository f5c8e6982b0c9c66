import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addDays, fixedClock, systemClock, toIsoDate } from '../../../src/core/time.js'
import { appendAudit } from '../../../src/domains/access/audit-store.js'
import { applyRetention } from '../../../src/domains/access/retention-service.js'
import { deleteOldIssues } from '../../../src/domains/newsletter/issues/issue-store.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startHousekeeping } from '../../../src/process/duties/housekeeping.js'
import {
  availableDatabases,
  copyPostgresWorld,
  databasesOfFile,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { emptied } from '../../support/database/emptied.js'
import { eventually } from '../../support/eventually.js'
import { BLACK_HOLE, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { waitedMs } from '../../support/waited-ms.js'

const databaseOf = databasesOfFile()

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Before an orchestrator kills the process, on the timers of the process. */
const ENDS_MS = 9_500
const ACCOUNT = randomUUID()

/** A log that keeps the level and text of each record. */
function recordingLog() {
  const lines: string[] = []
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string } // as the logger writes it
    lines.push(`${level === 50 ? 'error' : 'info'}: ${msg}`)
  }
  return { lines, log: createLogger('info', { write }) }
}

describe.each(availableDatabases())('housekeeping on %s', (kind) => {
  let database: Database
  let now: Date

  beforeAll(async () => {
    database = await databaseOf(kind)
  })
  beforeEach(async () => {
    now = new Date() // the audit's own rule runs on the database's clock
    for (const age of [91 * DAY_MS, 90 * DAY_MS + MINUTE_MS, 90 * DAY_MS - MINUTE_MS, 0]) {
      const at = new Date(now.getTime() - age)
      await appendAudit(database.prisma, {
        at,
        action: 'login',
        accountId: ACCOUNT,
        origin: null,
        actor: 'self',
      })
    }
    const today = toIsoDate(now)
    await database.rows(
      `insert into usage_day (account_id, key_id, day, operation, units, requests)
       select $1::uuid, $1::uuid, day, 'forex', 1, 1 from unnest($2::date[]) as day`,
      [ACCOUNT, [today, addDays(today, -90), addDays(today, -91), addDays(today, -400)]],
    )
    await database.rows(
      `insert into address_snapshot (chain_id, address, snapshot_date, balance_wei, transaction_count, is_contract,
         block_number, observed_at, fetched_at, source)
       select 1, '0x' || repeat('f', 40), day, 0, 0, false, 1, now(), now(), 'evm' from unnest($1::date[]) as day`,
      [[today, addDays(today, -90), addDays(today, -91)]],
    )
  })
  afterEach(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    const written = [
      'audit_event',
      'usage_day',
      'address_snapshot',
      'newsletter_issue',
      'newsletter_delivery',
    ]
    await emptied(database, written)
  })

  const left = async () => {
    const [row] = await database.rows<{ audit: number; usage: number }>(
      'select (select count(*) from audit_event) as audit, (select count(*) from usage_day) as usage',
    )
    return row
  }

  it('removes audit events and usage older than 90 days and nothing younger, once', async () => {
    expect(await applyRetention(database, now)).toEqual({ auditEvents: 2 })
    expect(await left()).toEqual({ audit: 2, usage: 2 })
    expect(await applyRetention(database, now)).toEqual({ auditEvents: 0 })
  })

  it('uses the database clock if that of the process is ahead', async () => {
    const ahead = new Date(now.getTime() + 30 * DAY_MS)
    expect(await applyRetention(database, ahead)).toEqual({ auditEvents: 2 })
    expect(await left()).toEqual({ audit: 2, usage: 2 })
  })

  // One connection is all that PGlite has, so there no two nodes can be at it.
  it.skipIf(kind === 'pglite')('leaves it to the node that runs it', async () => {
    await database.transaction(async (tx) => {
      await tx.rows('select pg_advisory_xact_lock(72707370)::text')
      expect(await applyRetention(database, now)).toBeNull()
    })
    expect(await left()).toEqual({ audit: 4, usage: 4 })
    expect(await applyRetention(database, now)).toEqual({ auditEvents: 2 })
  })

  const issues = async () => {
    const rows = await database.rows<{ issue_id: string; mails: number }>(
      `select i.issue_id, (select count(*)::int from newsletter_delivery as d where d.issue_id = i.issue_id) as mails
       from newsletter_issue as i order by 1`,
    )
    return rows.map(({ issue_id, mails }) => [issue_id, mails])
  }
  /** Issues by the age in milliseconds of the end of their time, each with more mails than one statement deletes. */
  const addIssues = async (ages: Readonly<Record<string, number>>, mails: number) => {
    for (const [issueId, age] of Object.entries(ages)) {
      await database.rows(
        `insert into newsletter_issue (issue_id, subject, html, text, sections, content_hash, is_dev_dataset, generated_at, send_by)
         values ($1, 's', 'h', 't', '[]', 'c', false, $2, $2)`,
        [issueId, new Date(now.getTime() - age)],
      )
      await database.rows(
        `with added as (
           insert into account (account_id, tier, created_at)
           select gen_random_uuid(), 'free', now() from generate_series(1, $2::int) returning account_id
         )
         insert into newsletter_delivery (issue_id, account_id, next_attempt_at, state, settled_at)
         select $1, account_id, now(), case when n = 1 then 'pending' else 'accepted' end,
           case when n = 1 then null else now() end
         from (select account_id, row_number() over () as n from added) as recipient`,
        [issueId, mails],
      )
    }
  }

  it('removes issues of the newsletter 90 days after their time, in batches, and none that can be sent', async () => {
    await addIssues({ a: 90 * DAY_MS + MINUTE_MS, b: 90 * DAY_MS - MINUTE_MS, c: -DAY_MS }, 5_001)
    const ahead = new Date(now.getTime() + 365 * DAY_MS)
    expect(await deleteOldIssues(database, new Date(now.getTime() - DAY_MS))).toBe(0)
    expect(await deleteOldIssues(database, ahead)).toBe(1)
    expect(await issues()).toEqual([
      ['b', 5_001],
      ['c', 5_001],
    ])
    expect(await deleteOldIssues(database, now)).toBe(0)
  })

  it('runs a minute or so after the start, then daily, until it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // The least wait, then the longest. The clock stops when a run begins: the time-outs of its statements do not run.
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1)
    const { lines, log } = recordingLog()
    await addIssues({ old: 91 * DAY_MS, new: 0 }, 1)
    const housekeeping = startHousekeeping({ database, clock: systemClock, log })
    vi.advanceTimersByTime(MINUTE_MS - 1)
    expect([await left(), lines]).toEqual([{ audit: 4, usage: 4 }, []])
    vi.advanceTimersByTime(1)
    await eventually(() => expect(lines).toEqual(['info: retention applied']))
    expect(await left()).toEqual({ audit: 2, usage: 2 })
    expect(await database.rows('select from address_snapshot')).toHaveLength(2)
    expect(await issues()).toEqual([['new', 1]])
    vi.advanceTimersByTime(1.1 * DAY_MS - 1)
    expect(lines).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await eventually(() => expect(lines).toHaveLength(2))
    await housekeeping.stop()
    await vi.advanceTimersByTimeAsync(3 * DAY_MS)
    expect(lines).toHaveLength(2)
  })

  it('logs a failure and tries again the next day', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { lines, log } = recordingLog()
    let isOut = true
    const failing: Database = {
      ...database,
      transaction: (work) => (isOut ? Promise.reject(new Error('out')) : database.transaction(work)),
    }
    const housekeeping = startHousekeeping({ database: failing, clock: fixedClock(now), log })
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(lines).toEqual(['error: retention could not be applied; the next run tries again'])
    isOut = false
    await vi.advanceTimersByTimeAsync(DAY_MS - 1)
    expect(lines).toHaveLength(1)
    // Not awaited: the clock stops when the run begins, so the time-outs of its statements do not fire.
    vi.advanceTimersByTime(1)
    await housekeeping.stop()
    expect(lines.slice(1)).toEqual(['info: retention applied'])
    expect(await left()).toEqual({ audit: 2, usage: 2 })
  })

  it('waits, when stopped, for the run in progress', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { lines, log } = recordingLog()
    const housekeeping = startHousekeeping({ database, clock: systemClock, log })
    vi.advanceTimersByTime(MINUTE_MS)
    await housekeeping.stop()
    expect([await left(), lines]).toEqual([{ audit: 2, usage: 2 }, ['info: retention applied']])
    await vi.advanceTimersByTimeAsync(3 * DAY_MS)
    expect(lines).toHaveLength(1)
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))('housekeeping in a black hole', () => {
  it('delays neither the stop beyond its part nor the close of the database, which ends the run', async () => {
    const url = await copyPostgresWorld('empty')
    const proxy = await startCuttableProxy(url)
    const database = await openDatabase({ kind: 'postgres', url: proxy.url, poolSize: 1 })
    await database.rows('select 1')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { lines, log } = recordingLog()
    const housekeeping = startHousekeeping({ database, clock: systemClock, log })
    proxy.disturb(BLACK_HOLE)
    vi.advanceTimersToNextTimer()
    vi.useRealTimers()
    const waited = await waitedMs(async () => {
      await housekeeping.stop()
      await database.close()
    })
    expect(waited).toBeLessThan(ENDS_MS)
    await eventually(() =>
      expect(lines).toEqual(['error: retention could not be applied; the next run tries again']),
    )
    await proxy.close()
    await dropPostgresDatabase(url)
  }, 20_000)
})
