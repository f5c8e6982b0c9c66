import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runAdminCommand } from '../../src/commands/admin/run.js'
import { runRelease } from '../../src/commands/release/run.js'
import { runVerify } from '../../src/commands/verify/run.js'
import { RELEASE_TABLES } from '../../src/domains/releases/tables/release-tables.js'
import { parseSigningKey, publicKeySet } from '../../src/platform/secrets/signing.js'
import { copyEmbeddedWorld } from '../support/database/database.js'
import { runCommand } from '../support/processes/run-command.js'

const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'

let home: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-release-'))
  const dataDir = join(home, 'data')
  await copyEmbeddedWorld('seeded', dataDir)
  env = { DATA_DIR: dataDir, SIGNING_KEY: SEED, RELEASES_LOCATION: join(home, 'releases') }
  await writeFile(join(home, 'jwks.json'), JSON.stringify(publicKeySet([parseSigningKey(SEED)])))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const release = (...args: string[]) => runCommand(runRelease, args, env)
const verify = (...args: string[]) => runCommand(runVerify, ['release', ...args], env)

it('writes a signed release that can be verified without a database', async () => {
  const { code, out, err } = await release('--dataset', 'commodities', '--json')
  expect([code, err]).toEqual([0, ''])
  const [summary] = JSON.parse(out) as readonly { readonly release_id: string; readonly place: string }[]
  expect(summary).toMatchObject({ dataset: 'commodities', is_new: true, shared_bytes: 0 })
  const directory = join(home, 'releases', 'commodities', summary?.release_id ?? '')
  expect(summary?.place).toBe(directory)
  const checked = await verify(directory, '--jwks', join(home, 'jwks.json'))
  expect(checked.out).toBe(
    [
      `release ${directory}`,
      '  manifest      ok',
      '  content_hash  ok',
      '  signature     ok',
      '  files         ok',
      '  rows          ok',
      '  predecessor   ok: this is the first release',
      'unchanged',
      '',
    ].join('\n'),
  )
  expect(checked.code).toBe(0)
  await writeFile(join(directory, 'manifest.json'), '{}')
  expect(await verify(directory)).toMatchObject({ code: 2, out: '' })
  expect(await verify(join(home, 'missing'))).toMatchObject({ code: 2, out: '' })
  await rm(directory, { recursive: true })
})

it('writes nothing when nothing was committed since', async () => {
  const first = await release('--dataset', 'commodities')
  expect(first.out).toMatch(
    /^commodities: [\w.-]+, \d+ rows in \d+ files, \d+ bytes, of which 0 are stored already\n/,
  )
  const again = await release('--dataset', 'commodities')
  expect(again).toMatchObject({ code: 0, err: '' })
  expect(again.out).toMatch(/^commodities: unchanged since [\w.-]+\n$/)
  expect(await readdir(join(home, 'releases', 'commodities'))).toHaveLength(1)
})

it('computes consensus prices again when a release of candles is verified', async () => {
  const { out } = await release('--dataset', 'candles', '--json')
  const [{ place, rows }] = JSON.parse(out) as [{ place: string; rows: number }]
  const checked = await verify(place, '--prices', '50')
  expect(checked).toMatchObject({ code: 0, err: '' })
  expect(checked.out).toContain(`  prices        ok: 50 of ${rows} rows computed again\n`)
  const refused = await verify(place, '--prices', 'many')
  expect(refused.err).toContain('--prices must be a whole number or all; got "many"')
  expect(refused.code).toBe(2)
})

it('keeps pinned releases when older ones are removed', async () => {
  const parent = join(home, 'releases', 'forex')
  expect((await release('--dataset', 'forex')).code).toBe(0)
  const [newest = ''] = await readdir(parent)
  const [older, oldest] = ['20261001T000000.000Z-0123456789ab', '20260901T000000.000Z-0123456789ab']
  for (const id of [older, oldest]) await cp(join(parent, newest), join(parent, id), { recursive: true })
  const admin = (...args: string[]) => runCommand(runAdminCommand, ['releases', ...args], env)
  expect(await admin('pin', 'forex', oldest)).toEqual({ code: 0, out: `forex ${oldest}: pinned\n`, err: '' })
  expect(await admin('pin', 'forex', '../x')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^admin: forex has no release \.\.\/x; /),
  })
  expect((await admin('list', 'fores')).err).toContain('did you mean forex?')
  const { releases } = JSON.parse((await admin('list', 'forex', '--json')).out) as {
    readonly releases: unknown
  }
  expect(releases).toMatchObject([
    { release_id: newest, pinned: false, place: join(parent, newest) },
    { release_id: older, pinned: false },
    { release_id: oldest, pinned: true },
  ])
  const kept = await runCommand(runRelease, ['--dataset', 'forex'], { ...env, RELEASES_KEEP: '1' })
  expect(kept.out).toBe(`forex: unchanged since ${newest}\n  removed: ${older}\n`)
  expect((await admin('unpin', 'forex', oldest)).code).toBe(0)
  expect((await admin('list', 'forex', '--limit', '1')).out).toContain(newest)
  await rm(parent, { recursive: true })
})

it('says which datasets exist', async () => {
  const names = RELEASE_TABLES.map(({ dataset }) => dataset).join(', ')
  expect(await release('--dataset', 'candle')).toEqual({
    code: 1,
    out: '',
    err: `release: --dataset must be one of ${names}; did you mean candles?\n`,
  })
  expect(await release('--dataset', 'news')).toEqual({
    code: 1,
    out: '',
    err: 'release: --dataset news is not released: headlines belong to their editors\n',
  })
  expect(await release('--dataset', 'listed_symbols')).toEqual({
    code: 1,
    out: '',
    err: 'release: listed_symbols: no row is stored\n',
  })
  expect(await release('--data')).toMatchObject({ code: 1, out: '' })
})
