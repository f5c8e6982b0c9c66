import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { runAdmin } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { ask, cleanUp, newDataDir, runToEnd, START_MS, startGateway } from './gateway.js'

interface List {
  readonly meta: { readonly total: number }
}

const secret = () => randomBytes(32).toString('base64url')

describe.runIf(availableDatabases().includes('postgres'))('a database that nodes share', () => {
  let env: Record<string, string>
  let url: string
  let database: Database
  beforeAll(async () => {
    url = await createPostgresDatabase()
    env = {
      DATABASE_URL: url,
      DATA_DIR: newDataDir(),
      PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9',
      ...OWN_SECRETS,
    }
    database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    await database?.close()
    await dropPostgresDatabase(url)
  })

  const production = () => ({ ...env, NODE_ENV: 'production', SCHEDULE: 'off' })

  it(
    'gets neither seed nor keys from a start in development that does not ask for them',
    async () => {
      const gateway = await startGateway({ ...env, SEED: '' })
      expect(gateway.stdout()).not.toContain('mdg_test_')
      expect(existsSync(join(env.DATA_DIR ?? '', 'dev-keys.json'))).toBe(false)
      expect(await database.prisma.datasetState.count()).toBe(0)
      expect(await database.prisma.account.count()).toBe(0)
      await gateway.stop('SIGTERM')
    },
    START_MS,
  )

  it(
    'is not seeded any more once production has opened it, and gives both back by one command',
    async () => {
      const seeded = await startGateway({ ...env, SEED: 'on' })
      const key = /^ +pro +(mdg_test_\w+)$/m.exec(seeded.stdout())?.[1] ?? expect.fail('no key was printed')
      await seeded.stop('SIGTERM')

      const live = await startGateway(production())
      const warned = live.log(
        'the database holds synthetic data or development keys; remove them: npm run admin -- seed remove',
      )
      expect(warned).toMatchObject([{ accounts: 6 }])
      const assets = () => ask<List>(`${live.url}/v1/assets?limit=1`, key)
      expect((await assets()).body.meta.total).toBeGreaterThan(0)

      const again = await runToEnd('src/main.ts', [], { ...env, SEED: 'on' })
      expect(again.code).toBe(1)
      expect(again.stderr).toMatch(/^This database has served production since \S+Z: it is never seeded\.\n/)

      const named = JSON.parse((await runAdmin(production(), 'doctor', '--json')).out) as {
        readonly checks: readonly {
          readonly check: string
          readonly status: string
          readonly message: string
        }[]
      }
      expect(named.checks.find(({ check }) => check === 'development')).toMatchObject({
        status: 'problem',
        message: expect.stringMatching(/^6 accounts with development keys; synthetic data in analysis, /),
      })

      const removed = await runAdmin(production(), 'seed', 'remove')
      expect([removed.code, removed.err]).toEqual([0, ''])
      expect(removed.out).toContain('6 development accounts deleted, their keys revoked\n')
      await expect.poll(async () => (await assets()).status).toBe(401)
      const own = await runToEnd('src/commands/key.ts', ['--tier', 'pro', '--label', 'own'], production())
      const { raw_key } = JSON.parse(own.stdout) as { raw_key: string }
      // No dataset is left: the node that was running forgets all that it knew.
      await expect.poll(async () => (await ask(`${live.url}/v1/forex?quote=USD`, raw_key)).status).toBe(503)
      expect(await database.prisma.candle.count({ where: { source: 'seed' } })).toBe(0)
      expect(await database.prisma.asset.count()).toBe(0)
      await live.stop('SIGTERM')
    },
    2 * START_MS,
  )

  it(
    'refuses a node and a command with another pepper or token key, and says which',
    async () => {
      const pepper = { ...production(), KEY_PEPPER: secret() }
      const start = await runToEnd('src/main.ts', [], pepper)
      expect(start.code).toBe(1)
      expect(start.stderr).toMatch(
        /^KEY_PEPPER is not the one that this installation uses since \S+Z: this node could not read the secrets of webhooks, and would refuse links in mails of the others\. Set the same value on every node; .*secrets forget KEY_PEPPER\n$/,
      )
      const key = await runToEnd('src/commands/key.ts', ['--tier', 'pro', '--label', 'lost'], pepper)
      expect([key.code, key.stdout]).toEqual([1, ''])
      expect(key.stderr).toMatch(/^KEY_PEPPER is not the one that this installation uses/)
      const tokens = await runToEnd('src/main.ts', [], { ...production(), JWT_KEYS: `test:${secret()}` })
      expect(tokens.stderr).toMatch(/^JWT_KEYS is not the one that this installation uses/)
      const next = `next:${secret()}`
      const rotated = { ...production(), JWT_KEYS: `${next},${OWN_SECRETS.JWT_KEYS}` }
      const early = await runToEnd('src/main.ts', [], rotated)
      expect(early.stderr).toMatch(/^The first key of JWT_KEYS is new, .* behind the old one first\n$/)
      for (const JWT_KEYS of [`${OWN_SECRETS.JWT_KEYS},${next}`, rotated.JWT_KEYS]) {
        const gateway = await startGateway({ ...production(), JWT_KEYS })
        await gateway.stop('SIGTERM')
      }
    },
    2 * START_MS,
  )
})
