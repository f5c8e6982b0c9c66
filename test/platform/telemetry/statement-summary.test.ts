import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { statementSummary } from '../../../src/platform/telemetry/statement-summary.js'

it.each([
  ['select a.slug from asset a where a.slug = $1', 'select asset'],
  ['SELECT 1', 'select'],
  ["insert into api_key (id) values ('mdg_live_x')", 'insert api_key'],
  ['update account set tier = $1', 'update account'],
  ['delete from api_key where id = $1', 'delete api_key'],
  [
    'with given as (select * from unnest($1::text[])) select * from given join candle using (id)',
    'select candle',
  ],
  ['with gone as (delete from price where id = $1 returning 1) select count(*) from gone', 'delete price'],
  ['select * from asset for update of asset', 'select asset'],
  ['LISTEN x', 'statement'],
])('%s is: %s', (sql, summary) => {
  expect(statementSummary(sql)).toBe(summary)
})

const ROOT = resolve(import.meta.dirname, '../../..')

it('OpenTelemetry is loaded by a single module, and only if it is configured', () => {
  const files = readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  )
  const naming = (pattern: RegExp) =>
    files.filter((name) => pattern.test(readFileSync(resolve(ROOT, 'src', name), 'utf8'))).sort()
  expect(naming(/\bimport\('@opentelemetry\//)).toEqual(['platform/telemetry/opentelemetry.ts'])
  expect(naming(/\bimport\('(?:\.|[^']*\/telemetry)\/telemetry\.js'\)/)).toEqual([
    'platform/telemetry/wiring.ts',
  ])
  expect(naming(/^import \{[^}]*\} from '(?:\.|[^']*\/telemetry)\/telemetry\.js'/m)).toEqual([])
  expect(naming(/^import \{[^}]*\} from '@opentelemetry/m)).toEqual([])
  expect(naming(/loadOpenTelemetry\(/)).toEqual([
    'platform/telemetry/opentelemetry.ts',
    'platform/telemetry/telemetry.ts',
  ])
})
