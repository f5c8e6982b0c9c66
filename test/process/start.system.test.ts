import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TIERS } from '../../src/policy/tiers.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import {
  ask,
  cleanUp,
  type Ended,
  type Gateway,
  newDataDir,
  runToEnd,
  START_MS,
  startGateway,
} from './gateway.js'

type Keys = Record<(typeof TIERS)[number] | 'admin', string>

interface Usage {
  readonly tier: string
}
interface Assets {
  readonly meta: { readonly total: number; readonly is_dev_dataset: boolean; readonly source: string }
}
interface Forex {
  readonly rows: number
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

const KEY_ARGUMENTS = ['--tier', 'growth', '--label', 'from outside']

describe.each(availableDatabases())('a development start on %s', (kind) => {
  const dataDir = newDataDir()
  let env: Record<string, string>
  let gateway: Gateway
  let keys: Keys
  let before: { readonly assets: Assets; readonly forex: Forex }

  const keysFile = join(dataDir, 'dev-keys.json')
  const readKeys = () => JSON.parse(readFileSync(keysFile, 'utf8')) as Keys
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  const signingKeyIds = async () => {
    const url = `${gateway.url}/.well-known/jwks.json`
    return (await ask<{ keys: readonly { kid: string }[] }>(url, null)).body.keys.map(({ kid }) => kid)
  }
  const world = async (key: string) => ({
    assets: (await ask<Assets>(`${gateway.url}/v1/assets`, key)).body,
    forex: (await ask<Forex>(`${gateway.url}/v1/forex?quote=USD&from=2000-01-01`, key)).body,
  })

  beforeAll(async () => {
    const database =
      kind === 'postgres' ? { DATABASE_URL: await createPostgresDatabase(), ...OWN_SECRETS } : {}
    env = { DATA_DIR: dataDir, ...database }
    gateway = await startGateway(env)
    const answer = await ask(`${gateway.url}/healthz`, null)
    process.stderr.write(`first start on ${kind}: ${answer.status} after ${Math.round(gateway.startMs)} ms\n`)
    keys = readKeys()
    before = await world(keys.growth)
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    if (env.DATABASE_URL) await dropPostgresDatabase(env.DATABASE_URL)
  })

  it('prints its addresses with the real ports, and every page there opens', async () => {
    const printed = (name: string) =>
      new RegExp(`^ +${name} +(http:\\S+)$`, 'm').exec(gateway.stdout())?.[1] ?? ''
    expect(printed('Portal')).toBe(`${gateway.url}/`)
    expect(printed('Agents')).toBe(`${gateway.url}/mcp`)
    expect(printed('GraphiQL')).toBe(`${gateway.url}/graphql`)
    expect(printed('REST docs')).toBe(`${gateway.url}/docs`)
    expect(printed('OpenAPI')).toBe(`${gateway.url}/openapi.json`)
    expect(printed('Metrics')).toBe(`${gateway.metricsUrl}/metrics`)
    for (const name of ['Portal', 'GraphiQL', 'REST docs', 'Guides', 'OpenAPI', 'Metrics']) {
      const page = await ask(printed(name), null, { headers: { accept: 'text/html, */*' } })
      expect([name, page.status]).toEqual([name, 200])
    }
  })

  it('describes itself from the beginning', () => {
    const lines = gateway
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    const steps = lines.map((line) => JSON.parse(line) as { msg: string; part?: string; step?: string })
    const opening = kind === 'pglite' ? 'opening the embedded database' : 'opening the database'
    expect(steps.slice(0, 4).map(({ msg }) => msg)).toEqual(['starting', opening, 'migrating', 'migrated'])
    const seeding = steps.filter(({ msg }) => msg === 'seeding synthetic data')
    expect(seeding.map(({ part, step }) => `${part} ${step}`)).toEqual([
      'instruments 1/23',
      'corporate_actions 2/23',
      'dividends 3/23',
      'forex 4/23',
      'candles 5/23',
      'supply 6/23',
      'bis 7/23',
      'bls 8/23',
      'boj 9/23',
      'bok 10/23',
      'ecb 11/23',
      'ust 12/23',
      'onchain 13/23',
      'screening 14/23',
      'filings 15/23',
      'prices 16/23',
      'commodities 17/23',
      'asset_onchain 18/23',
      'protocols 19/23',
      'news 20/23',
      'events 21/23',
      'etf 22/23',
      'analysis 23/23',
    ])
  })

  it('writes the keys of all tiers and of the admin to a file for the owner only, and prints the same', () => {
    expect(Object.keys(keys)).toEqual([...TIERS, 'admin'])
    expect(modeOf(keysFile)).toBe('600')
    for (const [name, key] of Object.entries(keys)) {
      expect(key).toMatch(/^mdg_test_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/)
      expect(gateway.stdout()).toMatch(new RegExp(`^ +${name} +${key}$`, 'm'))
    }
    expect(new Set(Object.values(keys)).size).toBe(6)
  })

  it.runIf(kind === 'pglite')('signs from the first answer on, with a key that is in no log', async () => {
    const file = join(dataDir, 'dev-signing-key.pem')
    expect(modeOf(file)).toBe('600')
    const [, secret = ''] = readFileSync(file, 'utf8').split('\n')
    expect([secret.length > 40, gateway.stdout().includes(secret)]).toEqual([true, false])
    expect(await signingKeyIds()).toEqual([expect.any(String)])
    const init = { headers: { prefer: 'receipt' } }
    const answer = await ask(`${gateway.url}/v1/forex?quote=USD`, keys.pro, init)
    expect(answer.headers.get('x-receipt')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it('accepts every key, each with its tier', async () => {
    for (const tier of TIERS) {
      const { status, body } = await ask<Usage>(`${gateway.url}/v1/usage`, keys[tier])
      expect([status, body.tier]).toEqual([200, tier])
    }
    expect((await ask(`${gateway.url}/v1/usage`, keys.admin)).status).toBe(200)
  })

  it('contains synthetic data that says that it is synthetic', () => {
    expect(before.assets.meta).toMatchObject({ total: 148, is_dev_dataset: true, source: 'seed' })
    expect(before.forex.rows).toBeGreaterThan(1_000)
  })

  it.runIf(kind === 'pglite')(
    'refuses a second process on its directory, naming the holder',
    async () => {
      const { code, stdout, stderr } = await runToEnd('src/main.ts', [], env)
      expect(code).toBe(1)
      expect(stdout).not.toMatch(/migrat|seed|listening|mdg_/)
      expect(stderr).toBe(
        `The database directory ${dataDir} is held by process ${gateway.pid}; stop it first (lock file ${dataDir}.lock)\n`,
      )
      expect((await ask(`${gateway.url}/readyz`, null)).status).toBe(200)
    },
    START_MS,
  )

  it(
    'keeps keys and data over a second start, and takes a key that src/commands/key.ts made meanwhile',
    async () => {
      const keyIds = await signingKeyIds()
      expect((await gateway.stop('SIGTERM')).code).toBe(0)
      const made: Ended = await runToEnd('src/commands/key.ts', KEY_ARGUMENTS, env)
      expect([made.code, made.stderr]).toEqual([0, ''])
      const printed = JSON.parse(made.stdout) as { raw_key: string; tier: string; label: string }
      expect(printed).toMatchObject({ tier: 'growth', label: 'from outside' })
      // One key that this database never knew, in a file that others may read.
      writeFileSync(keysFile, JSON.stringify({ ...keys, starter: `mdg_test_${'a'.repeat(30)}_000000` }))
      chmodSync(keysFile, 0o644)

      gateway = await startGateway(env)
      process.stderr.write(`second start on ${kind}: listening after ${Math.round(gateway.startMs)} ms\n`)
      expect(await signingKeyIds()).toEqual(keyIds)
      const now = readKeys()
      expect({ ...now, starter: keys.starter }).toEqual(keys)
      expect(modeOf(keysFile)).toBe('600')
      expect((await ask<Usage>(`${gateway.url}/v1/usage`, now.starter)).body.tier).toBe('starter')
      expect((await ask<Usage>(`${gateway.url}/v1/usage`, printed.raw_key)).body.tier).toBe('growth')
      const after = await world(keys.growth)
      expect(after.assets.meta.total).toBe(before.assets.meta.total)
      expect(after.forex).toMatchObject({ rows: before.forex.rows, data: before.forex.data })
    },
    START_MS,
  )

  it(
    'makes new keys where the file holds something else',
    async () => {
      expect((await gateway.stop('SIGINT')).code).toBe(0)
      writeFileSync(keysFile, 'null')
      gateway = await startGateway(env)
      const made = readKeys()
      expect(Object.keys(made)).toEqual([...TIERS, 'admin'])
      expect((await ask<Usage>(`${gateway.url}/v1/usage`, made.pro)).body.tier).toBe('pro')
    },
    START_MS,
  )
})
