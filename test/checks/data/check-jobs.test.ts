import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkJobs } from '../../../src/checks/data/check-jobs.js'
import { loadConfig } from '../../../src/config.js'
import { systemClock } from '../../../src/core/time.js'
import { SCHEDULE_SHARDS, SCHEDULE_WORK, shardOfJob } from '../../../src/ingest/schedule/schedule-work.js'
import type { Database } from '../../../src/platform/database/database.js'
import { startShardLeases } from '../../../src/platform/outbox/shard-leases.js'
import { processTimers } from '../../../src/platform/timers.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

describe('the check of the jobs', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())

  const findings = async () => {
    const config = loadConfig({ SCHEDULE: 'forex,boj' })
    const found = await checkJobs({ database, config, clock: systemClock })
    return found.filter(({ message }) => message.includes('no node runs it')).map(({ check }) => check)
  }

  it('warns of a job that no node runs while nodes run others', async () => {
    expect(await findings()).toEqual([])
    const leases = startShardLeases({
      ...{ work: SCHEDULE_WORK, database, log: { info: () => {}, warn: () => {} }, timers: processTimers },
      ...{ shards: SCHEDULE_SHARDS, wanted: [shardOfJob('boj')], leaseMs: 60_000 },
    })
    while (leases.usable().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await findings()).toEqual(['job forex'])
    await leases.stop()
    expect(await findings()).toEqual([])
  })
})
