import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../../src/core/canonical-json.js'
import { fixedClock } from '../../../../src/core/time.js'
import { seedAnalysis, seedUuid } from '../../../../src/ingest/datasets/analysis/seed-analysis.js'
import { findForbidden } from '../../../../src/ingest/datasets/analysis/words/forbidden-words.js'
import { promptOf } from '../../../../src/ingest/datasets/analysis/words/prompts.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'
import { emptied } from '../../../support/database/emptied.js'

const depsOf = (database: Database, now = SEEDED_AT) => ({
  database,
  clock: fixedClock(now),
  log: createLogger('silent'),
})

describe('the seeded analyses', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(() => database.close())

  const tally = async (column: string) => {
    const rows = await database.rows<{ key: string; count: number }>(
      `select ${column} as key, count(*) from analysis_snapshot group by 1`,
    )
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
  }

  it('are seven for each of 60 crypto assets and its types, and three for stocks and ETFs, all marked as seed', async () => {
    expect(await tally('source')).toEqual({ seed: 1_336 })
    expect(await tally('analysis_type')).toEqual({ halal_analysis: 450, market_context: 480, regime: 406 })
    expect(
      await database.rows(
        'select 1 from analysis_snapshot where asset_id < 1000 group by asset_id, analysis_type having count(*) <> 7 or max(sequence) <> 7',
      ),
    ).toEqual([])
  })

  it('begin two years ago, and have an answer to what was known a year ago', async () => {
    const first = await database.rows(
      `select min(generated_at) as first, count(distinct asset_id) filter (where known_from <= $1) as known
       from analysis_snapshot`,
      [new Date('2025-11-20T12:00:00Z')],
    )
    expect(first).toEqual([{ first: new Date('2024-12-20T12:00:00Z'), known: 80 }])
  })

  it('have no regime of a stablecoin', async () => {
    const kinds = await database.rows(
      `select slug, array_agg(distinct analysis_type::text order by analysis_type::text) as types
       from analysis_snapshot join asset using (asset_id) where slug in ('tether', 'bitcoin') group by 1 order by 1`,
    )
    expect(kinds).toEqual([
      { slug: 'bitcoin', types: ['halal_analysis', 'market_context', 'regime'] },
      { slug: 'tether', types: ['halal_analysis', 'market_context'] },
    ])
  })

  it('include corrections, model upgrades and changes of method', async () => {
    expect(await tally('case when supersedes is null then 0 else 1 end')).toEqual({ 0: 1_292, 1: 44 })
    expect(await tally('model_id')).toEqual({ 'rules-0': 759, 'rules-1': 559, 'synthetic-model-1': 18 })
    const changes = await database.rows<{ type: string; count: number }>(
      'select change_type as type, count(*) from analysis_change group by 1 order by 1',
    )
    expect(changes).toEqual([
      { type: 'RESTATEMENT', count: 44 },
      { type: 'METHODOLOGY_CHANGE', count: 178 },
      { type: 'MODEL_UPGRADE', count: 177 },
      { type: 'DATA_REFRESH', count: 484 },
    ])
  })

  it('state the prompt and the tokens of a fictitious language model', async () => {
    const worded = await database.rows<Record<string, unknown>>(
      `select analysis_type, prompt_version, prompt_hash, input_tokens, output_tokens from analysis_snapshot
       where model_id = 'synthetic-model-1' and generated_at = $1`,
      [SEEDED_AT],
    )
    expect(worded).toHaveLength(18)
    const { hash } = promptOf('regime')
    for (const { input_tokens: input, output_tokens: output, ...prompt } of worded) {
      expect(prompt).toEqual({
        analysis_type: 'regime',
        prompt_version: 'regime-prompt-1',
        prompt_hash: hash,
      })
      expect(Number(input)).toBeGreaterThan(100)
      expect(Number(output)).toBeGreaterThan(10)
      expect(Number(output)).toBeLessThan(Number(input))
    }
    expect(
      await database.rows(
        `select 1 from analysis_snapshot where model_id like 'rules-%' and
           (prompt_hash is not null or input_tokens is not null or output_tokens is not null)`,
      ),
    ).toEqual([])
  })

  it('became known when they were made, a correction half a day later, and none in the future', async () => {
    expect(
      await database.rows(
        `select 1 from analysis_snapshot where known_from <> generated_at
           + case when supersedes is null then interval '0' else interval '12 hours' end or known_from > $1`,
        [SEEDED_AT],
      ),
    ).toEqual([])
  })

  it('correct figures: a correction differs from the corrected one', async () => {
    const same = await database.rows(
      `select n.snapshot_id from analysis_snapshot n join analysis_snapshot o on o.snapshot_id = n.supersedes
       where n.content_hash = o.content_hash or n.generated_at <> o.generated_at`,
    )
    expect(same).toEqual([])
  })

  it('use nothing after their instant, and have the hash of their content', async () => {
    const rows = await database.rows<{ content: string; hash: string; isLate: boolean }>(
      `select content, content_hash as hash, coalesce(data_window_to > generated_at, false) as "isLate"
       from analysis_snapshot`,
    )
    expect(rows).toHaveLength(1_336)
    const failures = rows.flatMap(({ content, hash, isLate }) => {
      const parsed = JSON.parse(content)
      const facts = {
        isLate,
        isHashed: hash === `sha256:${sha256Hex(content)}`,
        // A second library of RFC 8785 writes the very bytes that were hashed.
        isCanonical: canonicalize(parsed) === content,
        forbidden: findForbidden(parsed.summary),
      }
      const isRight = !isLate && facts.isHashed && facts.isCanonical && facts.forbidden === null
      return isRight ? [] : [{ content, ...facts }]
    })
    expect(failures).toEqual([])
  })

  it('are created once: a later start does not change them', async () => {
    expect(await seedAnalysis(depsOf(database, new Date(SEEDED_AT.getTime() + 3 * 86_400_000)))).toBeNull()
    expect(
      await database.rows(
        `select version, is_dev_dataset, observed_at from dataset_state where dataset = 'analysis'`,
      ),
    ).toEqual([{ version: 1, is_dev_dataset: true, observed_at: SEEDED_AT }])
  })

  it('are one run in the ledger', async () => {
    expect(
      await database.rows(
        `select feed, provider, origin, status, added, started_at from ingest_run where dataset = 'analysis'`,
      ),
    ).toEqual([
      {
        feed: 'seed-analysis',
        provider: 'seed',
        origin: 'generated',
        status: 'succeeded',
        added: 1_336,
        started_at: SEEDED_AT,
      },
    ])
  })

  it('are the same in every database seeded at the same instant', async () => {
    const other = await openTestDatabase(quickestDatabase(), 'seeded')
    try {
      await emptied(other, ['analysis_snapshot', 'analysis_change'])
      await other.rows("delete from dataset_state where dataset = 'analysis'")
      expect(await seedAnalysis(depsOf(other))).toEqual({ added: 1_336, restated: 44 })
      const read = (from: Database) =>
        from.rows(
          `select asset_id, analysis_type, sequence, generated_at, known_from, content_hash, chain_hash, model_id,
             methodology_version, data_window_from, data_window_to, data_lineage, snapshot_id, supersedes
           from analysis_snapshot order by asset_id, analysis_type, sequence`,
        )
      expect(await read(other)).toEqual(await read(database))
    } finally {
      await other.close()
    }
  })
})

describe('without a synthetic series', () => {
  it('creates nothing', async () => {
    const database = await openTestDatabase('pglite')
    try {
      expect(await seedAnalysis(depsOf(database))).toBeNull()
    } finally {
      await database.close()
    }
  })
})

it('an id is a UUID of version 8 that depends on its text only', () => {
  expect(seedUuid('bitcoin regime')).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  expect(seedUuid('bitcoin regime')).toBe(seedUuid('bitcoin regime'))
  expect(seedUuid('bitcoin regime')).not.toBe(seedUuid('ethereum regime'))
})
