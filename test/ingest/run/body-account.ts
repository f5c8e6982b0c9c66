import { expect } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import type { BoundFeed } from '../../../src/ingest/feed.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { type RunSummary, runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { SmallBody } from './small-bodies.js'

export const FIRST = new Date('2026-11-22T10:00:00Z')
const HOUR_MS = 3_600_000

/** What became of all that was read. */
export function sumOf(
  counts: Pick<RunSummary, 'added' | 'revised' | 'unchanged' | 'rejected' | 'absent'>,
): number {
  return counts.added + counts.revised + counts.unchanged + counts.rejected + counts.absent
}

/** Runs a feed on a body, or on what it reads usually. */
export function runBody(
  database: Database,
  bound: BoundFeed,
  body: string | null,
  now: Date,
): Promise<RunSummary> {
  return runFeed(
    {
      database,
      clock: fixedClock(now),
      log: createLogger('silent'),
      fetchBody: () => expect.fail('nothing is fetched'),
    },
    bound,
    body === null
      ? usualSourceOf(bound.feed)
      : { kind: 'bytes', bytes: new TextEncoder().encode(body), origin: 'test' },
  )
}

/** Expects that a run of the body, one more, and one of the body with a broken cell add up to the cells, in the ledger too. */
export async function expectAccounted(database: Database, bound: BoundFeed, small: SmallBody): Promise<void> {
  const { body, broken, read, absent, moreRead = 0 } = small
  const run = (text: string, hours: number) =>
    runBody(database, bound, text, new Date(FIRST.getTime() + hours * HOUR_MS))

  const first = await run(body, 0)
  expect(first).toMatchObject({ read, absent, rejected: 0, rows: read - absent })
  expect(sumOf(first)).toBe(read)

  const again = await run(body, 1)
  expect(again).toMatchObject({ read, absent, rejected: 0, added: 0, rows: read - absent })
  expect(sumOf(again)).toBe(read)

  const damaged = await run(broken, 2)
  const ofBody = damaged.rejections.filter(({ position }) => position !== 'end of the list')
  expect(ofBody).toEqual([{ position: expect.stringMatching(/\S/), reason: expect.stringMatching(/\S/) }])
  const atEnd = damaged.rejected - 1
  expect(damaged.read).toBe(read + moreRead + atEnd)
  expect(sumOf(damaged)).toBe(damaged.read)

  const { added, revised, unchanged, rejected, alsoChanged, runId } = damaged
  const rows = await database.rows(
    `select added, revised, unchanged, rejected, absent, also_changed from ingest_run where run_id = $1`,
    [runId],
  )
  expect(rows).toEqual([
    { ...{ added, revised, unchanged, rejected, absent: damaged.absent }, also_changed: alsoChanged },
  ])
}
