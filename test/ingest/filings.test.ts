import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/platform/database/database.js'
import { fixedClock } from '../../src/core/time.js'
import { findFeed } from '../../src/ingest/registry.js'
import { runFeed } from '../../src/ingest/run-feed.js'
import { createLogger } from '../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../support/database.js'
import { samplePath } from '../support/samples.js'

const NVIDIA = samplePath('sec/companyfacts_CIK0001045810_nvidia.json')

describe.skipIf(NVIDIA === null).each(availableDatabases())(
  'recorded facts of a company on %s (skipped without the sample file)',
  (kind) => {
    let database: Database
    beforeAll(async () => {
      database = await openTestDatabase(kind)
    })
    afterAll(() => database?.close())

    const ingest = async (path: string, at: string) => {
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock: fixedClock(at), log: createLogger('silent'), fetchBody }
      return runFeed(deps, findFeed('sec-facts'), { kind: 'file', path })
    }

    it('are stored once', async () => {
      const first = await ingest(NVIDIA ?? '', '2026-11-20T12:00:00Z')
      console.log(first)
      const again = await ingest(NVIDIA ?? '', '2026-11-21T12:00:00Z')
      console.log(again)
    })
  },
)
