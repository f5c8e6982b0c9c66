import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type StarTable, viewComment } from '../../../src/domains/star/table.js'
import { STAR_TABLES } from '../../../src/domains/star/tables.js'
import type { Database } from '../../../src/platform/database/database.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
  openTestDatabase,
} from '../../support/database/database.js'

const run = promisify(execFile)

/** PostgreSQL's own names of types. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  int: 'integer',
  timestamptz: 'timestamp with time zone',
}

/** What the description says of a view, as the catalog says it. */
const described = (table: StarTable) => ({
  view: table.view,
  text: viewComment(table),
  columns: Object.entries(table.columns).map(([name, { type, text: comment }]) => [
    name,
    OWN_NAMES[type] ?? type,
    comment,
  ]),
})

const byView = (a: { view: string }, b: { view: string }) => (a.view < b.view ? -1 : 1)

describe.each(availableDatabases())('the views of star_public on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it('have exactly the described columns, types and comments, in order', async () => {
    const found = await database.rows<{ view: string }>(
      `select c.relname::text as view, obj_description(c.oid) as text,
         (select jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, null), col_description(c.oid, a.attnum))
           order by a.attnum) from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0) as columns
       from pg_class as c where c.relnamespace = 'star_public'::regnamespace`,
    )
    expect(found.toSorted(byView)).toEqual(STAR_TABLES.map(described).toSorted(byView))
  })

  it('show no key, source or input beyond the description', async () => {
    const names = STAR_TABLES.flatMap(({ columns }) => Object.keys(columns))
    const hidden = [
      'known_from',
      'known_to',
      'sources',
      'prompt_hash',
      'chain_hash',
      'input_tokens',
      'output_tokens',
    ]
    expect(names.filter((name) => hidden.includes(name))).toEqual([])
    const [bodies] = await database.rows<{ text: string }>(
      `select string_agg(definition, ' ') as text from pg_views where schemaname = 'star_public'`,
    )
    expect(bodies?.text).not.toMatch(/minute_bar|\.sources\b|prompt_hash|chain_hash|_tokens/)
  })
})

/** Whether the tool is there and no older than the server, which it otherwise refuses. */
async function dumpOf(url: string): Promise<string | null> {
  try {
    const { stdout } = await run('pg_dump', ['--schema=star_public', '--schema-only', url], {
      maxBuffer: 1 << 24,
    })
    return stdout
  } catch (error) {
    if (error instanceof Error && /ENOENT|version mismatch/.test(`${error.message}`)) return null
    throw error
  }
}

describe.skipIf(inject('postgresUrl') === null)('pg_dump of star_public (skipped without PostgreSQL)', () => {
  let url = ''
  beforeAll(async () => {
    url = await copyPostgresWorld('empty')
  })
  afterAll(() => dropPostgresDatabase(url))

  it('agrees with the description column by column', async (context) => {
    const dump = await dumpOf(url)
    if (dump === null) return context.skip('pg_dump is not installed, or older than the server')
    const views = [...dump.matchAll(/^CREATE VIEW star_public\.(\w+) AS$/gm)].map(([, view]) => view)
    expect(views.toSorted()).toEqual(STAR_TABLES.map(({ view }) => view).toSorted())
    const comments = [
      ...dump.matchAll(/^COMMENT ON COLUMN star_public\.(\w+)\.(\w+) IS '((?:[^']|'')*)';$/gm),
    ]
    const documented = STAR_TABLES.toSorted(byView).flatMap(({ view, columns }) =>
      Object.entries(columns).map(([name, { text }]) => `${view}.${name}: ${text}`),
    )
    const dumped = comments.map(
      ([, view, name, text = '']) => `${view}.${name}: ${text.replaceAll("''", "'")}`,
    )
    expect(dumped.toSorted()).toEqual(documented.toSorted())
    expect(dump).not.toMatch(/^CREATE (TABLE|FUNCTION|MATERIALIZED)/m)
  })
})

it('allow filtering each fact of an asset by the integer key of the asset', () => {
  const ofAssets = STAR_TABLES.filter(({ kind, columns }) => kind === 'fact' && 'asset_sk' in columns)
  const views = (tables: readonly StarTable[]) => tables.map(({ view }) => view)
  expect(views(ofAssets.filter(({ columns }) => 'asset_id' in columns))).toEqual(views(ofAssets))
  expect(views(ofAssets)).toEqual(
    expect.arrayContaining(['fact_ai_analysis', 'fact_event', 'fact_news_mention']),
  )
})
