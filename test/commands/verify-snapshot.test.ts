import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SNAPSHOT_QUERY } from '../../src/commands/verify/snapshot.js'
import { checkSnapshot, parseKeySet, SnapshotRecord } from '../../src/commands/verify/snapshot-checks.js'
import type { Snapshot } from '../../src/domains/analysis/model.js'
import { openDatabase } from '../../src/platform/database/database.js'
import { createSigner, type PublicKey, parseSigningKey } from '../../src/platform/secrets/signing.js'
import { daysAgo, draft, land, writeAssets } from '../domains/analysis/analysis-world.js'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { copyEmbeddedWorld, quickestDatabase } from '../support/database/database.js'
import { type Printed, runScript } from '../support/processes/run-script.js'

const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'

let app: TestApp
let key: string
let home: string
let snapshots: readonly Snapshot[]
let record: SnapshotRecord
let keys: readonly PublicKey[]
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-snapshot-'))
  app = await startTestApp(quickestDatabase(), { world: 'empty', env: { SIGNING_KEY: SEED } })
  await writeAssets(app.database, 1)
  const signer = createSigner(parseSigningKey(SEED))
  const unsigned = await land(app.database, [draft({ generatedAt: daysAgo(3) })])
  const signed = await land(app.database, [draft({ generatedAt: daysAgo(2) }), draft()], { signer })
  snapshots = [...unsigned, ...signed]
  key = await app.newKey({ tier: 'starter' })
  record = await ask(2)
  keys = parseKeySet(
    (await app.rest('/.well-known/jwks.json').then(({ text }) => JSON.parse(text))) as unknown,
  )
})
afterAll(async () => {
  await app?.close()
  await rm(home, { recursive: true, force: true })
})

async function ask(place: number): Promise<SnapshotRecord> {
  const id = snapshots[place]?.snapshotId
  const { body } = await app.graphql<{ ai_analysis_snapshot: unknown }>(SNAPSHOT_QUERY, {
    key,
    variables: { id },
  })
  return SnapshotRecord.parse(body.data?.ai_analysis_snapshot)
}

/** The checks that fail. */
function failures(given: SnapshotRecord, mustBeSigned = true): readonly string[] {
  return checkSnapshot(given, keys, mustBeSigned).flatMap(({ check, passed }) => (passed ? [] : [check]))
}

type Proof = SnapshotRecord['immutability']

const withProof = (more: Partial<Proof>): SnapshotRecord => ({
  ...record,
  immutability: { ...record.immutability, ...more },
})

/** The text with the lowest bit of one character flipped. */
function flipped(text: string, place: number): string {
  const changed = String.fromCharCode(text.charCodeAt(place) ^ 1)
  return text.slice(0, place) + changed + text.slice(place + 1)
}

describe('checking a snapshot', () => {
  it('accepts a stored snapshot, signed or not, first of its chain or later', async () => {
    expect(failures(record)).toEqual([])
    expect(record.immutability).toMatchObject({
      sequence: 3,
      previous_chain_hash: snapshots[1]?.chainHash,
      signing_key_id: keys[0]?.kid,
    })
    const first = await ask(0)
    expect(first.immutability).toMatchObject({ sequence: 1, previous_chain_hash: null, signature: null })
    expect(failures(first, false)).toEqual([])
    expect(failures(first, true)).toEqual(['signature'])
  })

  it('fails for a flipped bit in any byte of content, hashes, signature, UUID or instant', () => {
    const { content_text, content_hash, chain_hash, previous_chain_hash, signature } = record.immutability
    const every = (text: string, make: (text: string) => SnapshotRecord) =>
      Array.from(text, (_, place) => failures(make(flipped(text, place))))
    for (const failed of every(content_text, (text) => withProof({ content_text: text }))) {
      expect(failed).toContain('content_hash')
    }
    for (const failed of every(content_hash, (text) => withProof({ content_hash: text }))) {
      expect(failed).toEqual(['content_hash', 'chain_hash'])
    }
    for (const failed of every(chain_hash, (text) => withProof({ chain_hash: text }))) {
      expect(failed).toEqual(['chain_hash', 'signature'])
    }
    for (const failed of every(signature ?? '', (text) => withProof({ signature: text }))) {
      expect(failed).toEqual(['signature'])
    }
    for (const failed of every(previous_chain_hash ?? '', (text) =>
      withProof({ previous_chain_hash: text }),
    )) {
      expect(failed).toEqual(['chain_hash'])
    }
    for (const failed of every(record.snapshot_id, (text) => ({ ...record, snapshot_id: text }))) {
      expect(failed).toEqual(['chain_hash'])
    }
    for (const failed of every(record.generated_at, (text) => ({ ...record, generated_at: text }))) {
      expect(failed).toEqual(['chain_hash'])
    }
  })

  it('fails for content that differs from the text, and for text that is not canonical', () => {
    expect(failures({ ...record, content: { summary: 'Buy.' } })).toEqual(['content'])
    const spaced = `${record.immutability.content_text} `
    expect(failures(withProof({ content_text: spaced }))).toEqual(['content', 'content_hash'])
  })

  it('fails for a signature by an unknown or removed key', () => {
    expect(failures(withProof({ signing_key_id: 'other' }))).toEqual(['signature'])
    expect(failures(withProof({ signature: null, signing_key_id: null }))).toEqual(['signature'])
    expect(failures(withProof({ signature: null }), false)).toEqual(['signature'])
  })
})

describe('npm run verify -- snapshot', { timeout: 180_000 }, () => {
  it('checks a file offline against a key set, and a snapshot of a gateway', async () => {
    const file = join(home, 'snapshot.json')
    const jwks = join(home, 'jwks.json')
    await writeFile(file, JSON.stringify({ data: { ai_analysis_snapshot: record } }))
    await writeFile(jwks, JSON.stringify({ keys }))
    expect(await run(file, '--jwks', jwks)).toMatchObject({ code: 0, err: '' })
    const asked = await run(record.snapshot_id, '--url', app.url, '--key', key, '--json')
    expect(JSON.parse(asked.out)).toMatchObject({ snapshot_id: record.snapshot_id, valid: true })
    expect(asked.code).toBe(0)
  })

  it('checks a snapshot of the configured database', async () => {
    const directory = join(home, 'seeded')
    await copyEmbeddedWorld('seeded', directory)
    const database = await openDatabase({ kind: 'embedded', directory })
    const stored = await database.prisma.analysisSnapshot.findFirstOrThrow({ where: { sequence: { gt: 1 } } })
    await database.close()
    const checked = await run(stored.snapshotId, '--json', { DATA_DIR: directory })
    expect(checked.err).toBe('')
    expect(JSON.parse(checked.out)).toMatchObject({ snapshot_id: stored.snapshotId, valid: true })
    const unknown = await run(randomUUID(), { DATA_DIR: directory })
    expect(unknown).toMatchObject({ code: 2, out: '', err: expect.stringContaining('unknown snapshot') })
  })

  it('says what failed with exit code 1, and exits with 2 if the snapshot does not exist', async () => {
    const file = join(home, 'wrong.json')
    const jwks = join(home, 'jwks.json')
    await writeFile(jwks, JSON.stringify({ keys }))
    const text = record.immutability.content_text
    await writeFile(file, JSON.stringify(withProof({ content_text: text.replace('rose', 'fell') })))
    const wrong = await run(file, '--jwks', jwks)
    expect(wrong.code).toBe(1)
    expect(wrong.out).toMatch(/content_hash +FAILED: the content's hash is sha256:/)
    await writeFile(file, '{}')
    expect(await run(file)).toMatchObject({ code: 2, out: '' })
  })
})

function run(...given: readonly (string | NodeJS.ProcessEnv)[]): Promise<Printed> {
  const { DATABASE_URL: _, ...env } = process.env
  const args = given.filter((argument) => typeof argument === 'string')
  const own = given.filter((argument) => typeof argument === 'object')
  const merged = Object.assign({ ...env, NODE_ENV: 'development', DATA_DIR: home }, ...own)
  return runScript('src/commands/verify.ts', ['snapshot', ...args], merged)
}
