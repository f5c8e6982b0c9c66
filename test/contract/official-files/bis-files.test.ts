import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bisFile } from '../../../src/ingest/providers/bis/bis-csv.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { type RunSummary, runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const CREDIT = samplePath('bis/WS_TC_csv_col.csv')
const PRICES = samplePath('bis/WS_SPP_csv_col.csv')
const DRAWN = 25

/** Six tables of 40 countries and two of ten over 63 quarters, ten countries over 15 years, and what 40 newest quarters were at first. */
const SEED_VALUES = 6 * 40 * 63 + 2 * 10 * 63 + 10 * 15 + 40

interface SeriesAnswer {
  readonly data: readonly { readonly period: string; readonly value: number | null }[]
  readonly meta: Readonly<Record<string, unknown>>
}

/** The official file read as plainly as can be: key → [period, value] of what is not blank. */
function readFile(path: string): ReadonlyMap<string, readonly (readonly [string, number])[]> {
  const [header = [], ...rows] = parse(readFileSync(path)) as string[][]
  const series = header.indexOf('Series')
  return new Map(
    rows.map((row) => {
      const values = header
        .map((period, at) => [period, row[at] ?? ''] as const)
        .slice(series + 1)
        .filter(([, text]) => text !== '')
      return [row[series]?.replaceAll(':', '.') ?? '', values.map(([period, text]) => [period, Number(text)])]
    }),
  )
}

describe.skipIf(CREDIT === null || PRICES === null)(
  'the tables of the BIS, whole (skipped without their sample files)',
  () => {
    let app: TestApp
    let key: string
    const summaries: RunSummary[] = []
    const ingest = async (path: string | null) => {
      const { database, clock } = app
      const deps = {
        database,
        clock,
        log: createLogger('silent'),
        fetchBody: () => expect.fail('nothing is fetched'),
      }
      return runFeed(deps, findFeed(bisFile.id), { kind: 'file', path: path ?? '' })
    }
    beforeAll(async () => {
      app = await startTestApp(quickestDatabase())
      key = await app.newKey({ tier: 'enterprise' })
      for (const path of [CREDIT, PRICES]) summaries.push(await ingest(path))
      app.clock.advance(1_000) // versions are read again every half second
    }, 300_000)
    afterAll(() => app?.close())

    it('are ingested without a rejection and replace the synthetic ones', () => {
      expect(summaries).toMatchObject([
        { added: 186_082, revised: 0, rejected: 0, removedSeed: SEED_VALUES },
        { added: 35_416, revised: 0, rejected: 0, removedSeed: 0 },
      ])
      const figures = summaries.map(
        ({ rows, durationMs }) => `${rows} rows in ${(durationMs / 1000).toFixed(1)} s`,
      )
      process.stdout.write(`BIS tables: total credit ${figures[0]}, property prices ${figures[1]}\n`)
    })

    it.each([
      ['WS_TC', CREDIT],
      ['WS_SPP', PRICES],
    ])('are served value by value in REST and GraphQL: %s', async (dataset, path) => {
      const file = readFile(path ?? '')
      const keys = [...file.keys()]
      const drawn = Array.from(
        { length: DRAWN },
        (_, at) => keys[Math.floor((at * keys.length) / DRAWN)] ?? '',
      )
      for (const seriesKey of drawn) {
        const values = file.get(seriesKey)
        const { body } = await app.rest<SeriesAnswer>(`/v1/macro/bis/${dataset}/${seriesKey}?limit=1000`, {
          key,
        })
        expect(body.data.map(({ period, value }) => [period, value])).toEqual(values)
        const graphql = await app.graphql<{ bis_series: SeriesAnswer }>(
          `{ bis_series(dataset_code: "${dataset}", series_key: "${seriesKey}", limit: 1000) { data { period value } } }`,
          { key },
        )
        expect(graphql.body.data?.bis_series.data.map(({ period, value }) => [period, value])).toEqual(values)
      }
    })

    it('have the figures that the BIS published', async () => {
      const newest = async (unit: string) => {
        const path = `/v1/macro/bis/WS_TC/Q.US.P.A.M.${unit}.A?start_period=2025-Q4`
        return (await app.rest<SeriesAnswer>(path, { key })).body
      }
      expect(await newest('770')).toMatchObject({
        data: [{ period: '2025-Q4', unit: '%_GDP', value: 140.3 }],
        meta: { source: 'bis', is_dev_dataset: false, country_name: 'United States' },
      })
      expect((await newest('USD')).data).toMatchObject([
        { period: '2025-Q4', unit: 'USD_B', value: 43_143.826, known_to: null },
      ])
    })

    it('change nothing when they are ingested again', { timeout: 120_000 }, async () => {
      const before = await app.database.rows(`select version from dataset_state where dataset = 'bis'`)
      expect(await ingest(PRICES)).toMatchObject({ added: 0, revised: 0, unchanged: 35_416 })
      expect(await app.database.rows(`select version from dataset_state where dataset = 'bis'`)).toEqual(
        before,
      )
    })
  },
)
