import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHAIN_START, type Snapshot } from '../../../src/domains/analysis/model.js'
import { loadNewestGeneration } from '../../../src/domains/analysis/store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { content, daysAgo, draft, land, NOW, TYPES, writeAssets } from './analysis-world.js'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`

/** The signatures' bytes are the text of the chain hash. */
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = {
  keyId: 'key-1',
  sign: (chainHash: string) => sign(null, Buffer.from(chainHash), privateKey).toString('base64url'),
}

interface Stored {
  readonly id: string
  readonly content: string
  readonly content_hash: string
  readonly chain_hash: string
  readonly sequence: number
  readonly generated: string
}

/** What the table holds of one chain, read without any of the code under test. */
function storedChain(database: Database, assetId: number): Promise<readonly Stored[]> {
  return database.rows<Stored>(
    `select snapshot_id as id, content, content_hash, chain_hash, sequence,
       to_char(generated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as generated
     from analysis_snapshot where asset_id = $1 and analysis_type = 'market_context' order by sequence`,
    [assetId],
  )
}

function changesOf(database: Database, assetId: number) {
  return database.rows<Record<string, unknown>>(
    `select change_type, from_snapshot_id as from, to_snapshot_id as to, changed_at, computed_at, text_changed, changes,
       similarity::float8 as similarity from analysis_change where asset_id = $1 order by diff_id`,
    [assetId],
  )
}

const only = (added: readonly Snapshot[]): Snapshot => {
  const [snapshot] = added
  if (snapshot === undefined || added.length !== 1)
    throw new Error(`expected one snapshot, got ${added.length}`)
  return snapshot
}

describe.each(availableDatabases())('the snapshot store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await writeAssets(database, 64)
  })
  afterAll(() => database?.close())

  it('stores the canonical text whose hash it states, like a second library of RFC 8785', async () => {
    const contents = [
      content(),
      content({ summary: 'Zeile\n"zwei"\t\\ \u0007 € 😀 é \u2028', sentiment_score: -1 }),
      content({
        sentiment_score: null,
        signals: [
          { name: 'b', value: 1e21, unit: 'USD', threshold: 1e-7 },
          { name: 'a', value: -0, unit: null, threshold: 0.1 + 0.2 },
          { name: 'c', value: true, unit: null, threshold: null },
        ],
        aaoifi: {
          debt_to_market_cap: 0.3299999,
          cash_to_market_cap: null,
          interest_income_to_revenue: 5e-324,
          inputs: [
            {
              ratio: 'debt_to_market_cap',
              figure: 'total_debt',
              value: 1.5e9,
              filing: '10-K',
              period: '2025',
            },
          ],
        },
      }),
    ]
    await land(
      database,
      contents.map((given, index) => draft({ assetId: 2, content: given, generatedAt: daysAgo(9 - index) })),
    )
    const rows = await storedChain(database, 2)
    expect(rows.map((row) => row.content)).toEqual(contents.map((given) => canonicalize(given)))
    for (const row of rows) {
      expect(row.content_hash).toBe(sha256(row.content))
      expect(canonicalize(JSON.parse(row.content))).toBe(row.content)
    }
    const listed = await database.rows<{ summary: string; score: number | null }>(
      'select summary, sentiment_score as score from analysis_snapshot where asset_id = 2 order by sequence',
    )
    expect(listed).toEqual(contents.map(({ summary, sentiment_score: score }) => ({ summary, score })))
  })

  it('links each chain by the published formula and signs the links', async () => {
    for (const days of [3, 2, 1]) {
      await land(database, [draft({ assetId: 3, generatedAt: daysAgo(days) })], { signer })
    }
    const rows = await storedChain(database, 3)
    expect(rows.map((row) => row.sequence)).toEqual([1, 2, 3])
    let previous = `sha256:${'0'.repeat(64)}`
    expect(CHAIN_START).toBe(previous)
    for (const row of rows) {
      previous = sha256(`${previous}\n${row.content_hash}\n${row.id}\n${row.generated}`)
      expect(row.chain_hash).toBe(previous)
    }
    const signed = await database.rows<{ hash: string; signature: string; key: string }>(
      'select chain_hash as hash, signature, signing_key_id as key from analysis_snapshot where asset_id = 3',
    )
    for (const { hash, signature, key } of signed) {
      expect(key).toBe('key-1')
      expect(verify(null, Buffer.from(hash), publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    }
  })

  it('returns what it stored', async () => {
    const given = draft({
      assetId: 4,
      inputTokens: 10,
      outputTokens: 20,
      promptVersion: 'p',
      promptHash: 'h',
    })
    const added = only(await land(database, [given], { knownAt: NOW }))
    expect(added).toMatchObject({ ...given, knownFrom: NOW, sequence: 1, source: 'seed', signature: null })
    const [row] = await storedChain(database, 4)
    expect(row).toMatchObject({
      id: added.snapshotId,
      content: added.contentText,
      chain_hash: added.chainHash,
    })
  })

  it('stores a snapshot under its given id, once', async () => {
    const given = draft({ assetId: 60, snapshotId: '0f9b2c1e-5d1c-8a77-9c3e-0123456789ab' })
    expect(only(await land(database, [given])).snapshotId).toBe(given.snapshotId)
    await expect(land(database, [given])).rejects.toThrow(/analysis_snapshot_pkey/)
  })

  it('stores the changes against the previous or the superseded snapshot', async () => {
    const first = only(await land(database, [draft({ assetId: 5, generatedAt: daysAgo(4) })]))
    const next = draft({ assetId: 5, generatedAt: daysAgo(2), methodologyVersion: 'm-2' })
    const second = only(await land(database, [next]))
    const correction = draft({
      ...next,
      supersedes: second.snapshotId,
      content: content({ summary: 'Volume doubled.', sentiment_score: -0.5 }),
    })
    const third = only(await land(database, [correction]))
    // Speaks of an instant before both later ones: follows the first.
    const late = only(await land(database, [draft({ assetId: 5, generatedAt: daysAgo(3) })]))
    expect(await changesOf(database, 5)).toMatchObject([
      {
        change_type: 'METHODOLOGY_CHANGE',
        from: first.snapshotId,
        to: second.snapshotId,
        text_changed: false,
        similarity: null,
        changed_at: daysAgo(2),
      },
      {
        change_type: 'RESTATEMENT',
        from: second.snapshotId,
        to: third.snapshotId,
        text_changed: true,
        changes: [{ field: 'sentiment_score', before: 0.25, after: -0.5, change_type: 'RESTATEMENT' }],
      },
      { change_type: 'DATA_REFRESH', from: first.snapshotId, to: late.snapshotId, changed_at: daysAgo(3) },
    ])
  })

  it('stores no change between two snapshots with one content hash', async () => {
    const same = { assetId: 59, content: content() }
    await land(database, [draft({ ...same, generatedAt: daysAgo(4) })])
    await land(database, [draft({ ...same, generatedAt: daysAgo(3), modelId: 'model-x' })])
    expect(await changesOf(database, 59)).toEqual([])
    await land(database, [draft({ assetId: 59, generatedAt: daysAgo(2) })])
    expect(await changesOf(database, 59)).toHaveLength(1)
  })

  it('applies several of one asset and type one after another', async () => {
    const drafts = [3, 2, 1].map((days) => draft({ assetId: 6, generatedAt: daysAgo(days) }))
    const added = await land(database, drafts)
    expect(added.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect((await changesOf(database, 6)).map(({ from, to }) => [from, to])).toEqual([
      [added[0]?.snapshotId, added[1]?.snapshotId],
      [added[1]?.snapshotId, added[2]?.snapshotId],
    ])
  })

  it('makes a correction known after the corrected one, and a chain in order, whatever the clocks say', async () => {
    const first = only(await land(database, [draft({ assetId: 7 })], { knownAt: NOW }))
    const hourAgo = new Date(NOW.getTime() - 3_600_000)
    const correction = draft({ assetId: 7, supersedes: first.snapshotId })
    const second = only(await land(database, [correction], { knownAt: hourAgo }))
    expect(second.knownFrom).toEqual(new Date(NOW.getTime() + 1))
    const third = only(await land(database, [draft({ assetId: 7 })], { knownAt: hourAgo }))
    expect(third.knownFrom).toEqual(second.knownFrom)
  })

  it('refuses a snapshot that cannot be superseded, and content that may not be stored', async () => {
    const first = only(await land(database, [draft({ assetId: 8 })]))
    const correct = (more: object) =>
      land(database, [draft({ assetId: 8, supersedes: first.snapshotId, ...more })])
    await expect(correct({ analysisType: 'regime' })).rejects.toThrow(RangeError)
    await expect(correct({ assetId: 9 })).rejects.toThrow(
      /asset 9, market_context has no such earlier snapshot/,
    )
    await expect(correct({ generatedAt: daysAgo(2) })).rejects.toThrow(RangeError)
    await correct({})
    await expect(correct({})).rejects.toThrow(/is already superseded/)
    await expect(correct({ supersedes: null, content: content({ sentiment_score: 1.01 }) })).rejects.toThrow(
      /between -1 and 1; got 1.01/,
    )
    await expect(
      correct({ supersedes: null, content: content({ summary: 'x'.repeat(8_001) }) }),
    ).rejects.toThrow(/at most 8000 characters; got 8001/)
    await expect(
      correct({ supersedes: null, content: content({ sentiment_score: Number.NaN }) }),
    ).rejects.toThrow(RangeError)
    const signals = ['a', 'a'].map((name) => ({ name, value: 1, unit: null, threshold: null }))
    await expect(correct({ supersedes: null, content: content({ signals }) })).rejects.toThrow(/same name/)
    expect(await storedChain(database, 8)).toHaveLength(2)
  })

  it.each([
    ['update', "update analysis_snapshot set content = '{}' where asset_id = 10"],
    ['update of one byte', "update analysis_snapshot set model_id = 'x' where asset_id = 10"],
    ['delete', 'delete from analysis_snapshot where asset_id = 10'],
    ['truncate', 'truncate analysis_snapshot cascade'],
  ])('refuses an %s', async (_, statement) => {
    await land(database, [draft({ assetId: 10 })])
    const before = await storedChain(database, 10)
    await expect(database.rows(statement)).rejects.toThrow(/analysis_snapshot is append-only/)
    expect(await storedChain(database, 10)).toEqual(before)
  })

  it('takes as many statements for 150 snapshots as for one', async () => {
    const statements = async (assetIds: readonly number[]) => {
      const drafts = assetIds.flatMap((assetId) =>
        TYPES.map((analysisType) => draft({ assetId, analysisType, generatedAt: daysAgo(3) })),
      )
      await land(database, drafts)
      const before = database.statementCount()
      await land(database, drafts)
      return database.statementCount() - before
    }
    const one = await statements([11])
    const many = await statements(Array.from({ length: 49 }, (_, index) => 12 + index))
    expect(many).toBe(one)
    expect(one).toBeLessThanOrEqual(5) // lock, what came before, snapshots, changes; the dataset's version
  })

  it('keeps changes in the order of commits, even if clocks go back', async () => {
    const writers = Array.from({ length: 12 }, (_, index) => {
      const knownAt = new Date(NOW.getTime() - index * 60_000)
      return land(
        database,
        [61, 62, 63].map((assetId) => draft({ assetId, generatedAt: daysAgo(1) })),
        { knownAt },
      )
    })
    await Promise.all(writers)
    const rows = await database.rows<{ at: Date; sequence: number; asset: number }>(
      `select c.computed_at as at, s.sequence, c.asset_id as asset from analysis_change c
       join analysis_snapshot s on s.snapshot_id = c.to_snapshot_id order by c.diff_id`,
    )
    const instants = rows.map(({ at }) => at.getTime())
    expect(instants).toEqual([...instants].sort((a, b) => a - b))
    for (const asset of [61, 62, 63]) {
      const sequences = rows.filter((row) => row.asset === asset).map(({ sequence }) => sequence)
      expect(sequences).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    }
  })

  it('never compares across sources, and returns the newest generation of each', async () => {
    await land(database, [draft({ assetId: 64, generatedAt: daysAgo(5) })])
    const live = only(
      await land(database, [draft({ assetId: 64, generatedAt: daysAgo(0.5) })], { source: 'exchanges' }),
    )
    expect(live.sequence).toBe(2)
    expect(await changesOf(database, 64)).toEqual([])
    expect(await loadNewestGeneration(database.prisma, 'exchanges')).toEqual(daysAgo(0.5))
    expect(await loadNewestGeneration(database.prisma, 'nobody')).toBeNull()
  })
})
