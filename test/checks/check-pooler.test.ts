import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkPooler } from '../../src/checks/check-pooler.js'
import { loadConfig } from '../../src/config.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { type Bouncer, pgbouncerBinary, startBouncer } from '../support/database/pgbouncer.js'

const canTest = pgbouncerBinary() !== null && availableDatabases().includes('postgres')

describe.skipIf(!canTest)('the pooler check of doctor', () => {
  let direct: string
  let bouncer: Bouncer
  beforeAll(async () => {
    direct = await createPostgresDatabase()
    bouncer = await startBouncer(direct)
  })
  afterAll(async () => {
    await bouncer?.close()
    if (direct) await dropPostgresDatabase(direct)
  })

  const findings = async (env: Readonly<Record<string, string>>) =>
    (await checkPooler(loadConfig({ NODE_ENV: 'test', ...OWN_SECRETS, ...env }))).map(
      ({ status, advice }) => [status, advice],
    )

  it('asks for statements that are not prepared, and for the address of PostgreSQL itself', async () => {
    const DATABASE_URL = bouncer.url
    expect(await findings({ DATABASE_URL })).toEqual([
      ['warning', expect.stringContaining('set DATABASE_PREPARE=false')],
      ['warning', 'set SQL_PUBLIC_ADDRESS to the address of PostgreSQL itself'],
    ])
    const server = { SQL_PUBLIC_ADDRESS: new URL(direct).host }
    expect(await findings({ DATABASE_URL, DATABASE_PREPARE: 'false', ...server })).toEqual([['ok', null]])
  })

  it('reports nothing if DATABASE_URL leads to PostgreSQL', async () => {
    expect(await findings({ DATABASE_URL: direct })).toEqual([['ok', null]])
  })
})
