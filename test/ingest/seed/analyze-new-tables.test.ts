import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyzeNewTables } from '../../../src/ingest/seed/analyze-new-tables.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { REQUEST_LIMITS } from '../../../src/platform/database/statement-limits.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../../support/database/database.js'

describe.skipIf(!availableDatabases().includes('postgres'))('statistics of new tables', () => {
  let url: string
  let database: Database
  beforeAll(async () => {
    url = await createPostgresDatabase()
    database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
  })
  afterAll(async () => {
    await database?.close()
    await dropPostgresDatabase(url)
  })

  it('may take longer to gather than a statement of a request', async () => {
    await database.script('create table fresh as select n from generate_series(1, 10) n')
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding = database.transaction(async (tx) => {
      await tx.rows('lock table fresh in share update exclusive mode')
      await released
    })
    const analyzed = analyzeNewTables(database)
    await Promise.race([analyzed, sleep(REQUEST_LIMITS.statementMs + 500)]).finally(release)
    await Promise.all([holding, analyzed])
    const [row] = await database.rows(`select reltuples::int as rows from pg_class where relname = 'fresh'`)
    expect(row).toEqual({ rows: 10 })
  })
})
