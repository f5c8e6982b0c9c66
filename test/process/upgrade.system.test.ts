import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  availableRedis,
  copyPostgresWorld,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { reviseRates } from '../support/database/forex-revisions.js'
import { blocksOfGuide } from '../support/guides/blocks.js'
import { compileNextRelease } from '../support/processes/next-release.js'
import { ask, cleanUp, newDataDir, type Reply, runToEnd, START_MS } from './gateway.js'
import { type RollingNodes, startNodes } from './rolling-nodes.js'

/** Words of the commands of the guide, in their order. */
const COMMANDS = Array.from(
  (blocksOfGuide('upgrades')[0]?.text ?? '').matchAll(/^npm run admin -- ([^#\n]+)/gm),
  ([, words = '']) => words.trim().split(' '),
)

const EXPAND = {
  name: '20990101000000_key_note',
  sql: `-- Locks: "api_key" against all for milliseconds.
ALTER TABLE "api_key" ADD COLUMN "note" TEXT;
`,
}
/** What no node reads any more. */
const CONTRACT = {
  name: '20990102000000_key_note_contract',
  sql: `-- Locks: "api_key" against all for milliseconds.
ALTER TABLE "api_key" DROP COLUMN "note";
`,
}

const PATHS = [
  '/v1/assets/bitcoin/ohlcv?limit=20',
  '/v1/forex?quote=USD&from=2026-11-02&to=2026-11-20',
  '/v1/assets/ethereum/ai-analysis/history?limit=3',
  '/v1/ai-analysis/changes?limit=20',
]
const [, FOREX = ''] = PATHS

interface Key {
  readonly raw_key: string
  readonly key_id: string
}
type Env = Readonly<Record<string, string>>

describe.runIf(availableDatabases().includes('postgres'))(
  'an upgrade and a rollback as the guides say',
  { timeout: 6 * START_MS },
  () => {
    let directory: string
    let release: string
    let url: string
    let restoredUrl: string
    let env: Env
    let nodes: RollingNodes
    let database: Database
    let before: readonly object[]
    let [kept, revoked, later] = [{}, {}, {}] as [Key, Key, Key]
    let laterTag: string

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'mdg-upgrade-'))
      ;[url, restoredUrl] = [await copyPostgresWorld('seeded'), await createPostgresDatabase()]
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      release = await compileNextRelease(join(directory, 'next'), '99.0.0', [EXPAND, CONTRACT])
      const redis = availableRedis()
      env = {
        ...OWN_SECRETS,
        ...{ DATABASE_URL: url, DATA_DIR: newDataDir(), NODE_ENV: 'production', SCHEDULE: 'off' },
        ...{ PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9', BURST_PER_MINUTE: '1000000' },
        ...(redis === null ? {} : { REDIS_URL: redis }),
      }
      nodes = await startNodes(env)
      ;[kept, revoked] = [await newKey('kept'), await newKey('revoked')]
    }, 3 * START_MS)
    afterAll(async () => {
      await cleanUp()
      await database?.close()
      for (const one of [url, restoredUrl]) await dropPostgresDatabase(one)
      rmSync(directory, { recursive: true, force: true })
    })

    const admin = (given: Env, args: readonly string[], options: { readonly release?: string } = {}) =>
      runToEnd('src/cli.ts', ['admin', ...args], given, options)
    /** What a command that must succeed prints. */
    const succeeded = async (...call: Parameters<typeof admin>) => {
      const { code, stdout, stderr } = await admin(...call)
      expect([call[1], code, stderr]).toEqual([call[1], 0, ''])
      return stdout
    }
    const newKey = async (label: string) =>
      JSON.parse(
        await succeeded(env, ['users', 'create', '--tier', 'pro', '--label', label, '--json']),
      ) as Key
    /** What doctor finds wrong. The world of tests is synthetic, which is wrong in production. */
    const problems = async (...[given, options]: [Env, { readonly release?: string }?]) => {
      const { stdout } = await admin(given, ['doctor', '--json'], options)
      const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string }[] }
      return checks.filter(({ status }) => status === 'problem').map(({ check }) => check)
    }
    const file = (name: string) => join(directory, name)
    /** The command of the guide at this place; files lie in the directory of the test. */
    const command = (at: number) =>
      (COMMANDS[at] ?? []).map((word) => (/\.backup$/.test(word) ? file(word) : word))

    const get = (
      gateway: { readonly url: string },
      path: string,
      key: Key,
      headers: Record<string, string> = {},
    ) => ask<Record<string, unknown>>(gateway.url + path, key.raw_key, { headers })
    /** What an answer says of the data, without what it says of its own time. */
    const dataOf = ({ status, body }: Reply<Record<string, unknown>>) => ({
      status,
      data: body.data ?? body.items ?? body,
    })
    const answersOf = async (gateway: { readonly url: string }) =>
      Promise.all(PATHS.map(async (path) => ({ path, ...dataOf(await get(gateway, path, kept)) })))
    const first = () => nodes.gateways[0] ?? expect.fail('a node runs')

    it('updates the nodes one after the other with the commands of the guide; no request fails', async () => {
      expect(COMMANDS).toEqual([
        ['backup', 'before.backup'],
        ['migrate'],
        ['doctor'],
        ['migrate', '--contract'],
      ])
      before = await answersOf(first())
      expect(before).toMatchObject(PATHS.map((path) => ({ path, status: 200 })))
      await nodes.underRequests(
        async (gateway) => {
          const path = PATHS[Math.floor(Math.random() * PATHS.length)] ?? FOREX
          const { status, text } = await get(gateway, path, kept)
          expect([path, status, text]).toEqual([path, 200, text])
        },
        async () => {
          await succeeded(env, command(0))
          expect(await succeeded(env, command(1), { release })).toContain(`applied ${EXPAND.name}`)
          expect((await admin(env, command(2), { release })).stdout).toContain(
            `contract migrations wait: ${CONTRACT.name}`,
          )
          await nodes.restart(env, undefined, { release })
          expect(await succeeded(env, command(3), { release })).toBe(`applied ${CONTRACT.name}\n`)
          const { stdout } = await admin(env, command(2), { release })
          expect(stdout).not.toContain('contract migrations wait')
        },
      )
      for (const gateway of nodes.gateways) expect(await answersOf(gateway)).toEqual(before)
      expect(await problems(env, { release })).toEqual(['development'])
    })

    it('goes back with the backup and the old version: what was stored then is served, and nothing of later', async () => {
      later = await newKey('later')
      await succeeded(env, ['keys', 'revoke', revoked.key_id])
      await reviseRates(database, 7, new Date('2026-11-20T13:00:00Z'))
      await expect.poll(async () => (await get(first(), FOREX, later)).text).toContain('"rate":7')
      laterTag = (await get(first(), FOREX, later)).headers.get('etag') ?? expect.fail('no tag')
      const tooNew = file('after.backup')
      await succeeded(env, ['backup', tooNew], { release })
      for (const gateway of nodes.gateways) await gateway.stop('SIGTERM')

      const restored = { ...env, DATABASE_URL: restoredUrl }
      const refused = await admin(restored, ['restore', tooNew])
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('newer')])
      const printed = await succeeded(restored, ['restore', ...command(0).slice(1), '--json'])
      expect(JSON.parse(printed)).toMatchObject({ broken_snapshots: [], not_restored: [] })
      nodes = await startNodes(restored)
      for (const gateway of nodes.gateways) {
        expect(await answersOf(gateway)).toEqual(before)
        expect((await get(gateway, FOREX, kept, { 'if-none-match': laterTag })).status).toBe(200)
        expect((await get(gateway, FOREX, later)).status).toBe(401)
        // The revocation is lost too: the operator repeats it.
        expect((await get(gateway, FOREX, revoked)).status).toBe(200)
      }
      await succeeded(restored, ['keys', 'revoke', revoked.key_id])
      for (const gateway of nodes.gateways)
        await expect.poll(async () => (await get(gateway, FOREX, revoked)).status).toBe(401)
      expect(await problems(restored)).toEqual(['development'])
    })
  },
)
