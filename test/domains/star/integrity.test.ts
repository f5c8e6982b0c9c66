import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StarTable, sqlText } from '../../../src/domains/star/table.js'
import { STAR_TABLES } from '../../../src/domains/star/tables.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

interface Rule {
  readonly name: string
  /** SQL: how many rows break it. */
  readonly sql: string
}

const literal = (value: string | number | boolean) =>
  typeof value === 'string' ? sqlText(value) : String(value)

/** The rules that the description of a view states, each as a count of the rows that break it. */
function rulesOf({ view, key, rules = [], columns }: StarTable): readonly Rule[] {
  const relation = `star_public.${view}`
  const breaking = (condition: string) => `select count(*)::int as broken from ${relation} where ${condition}`
  const repeated = (names: readonly string[]) =>
    `select count(*)::int as broken from (select 1 from ${relation} group by ${names.join(', ')} having count(*) > 1) as r`
  const ofColumns = Object.entries(columns).flatMap(([name, column]): readonly Rule[] => {
    const { isNullable, isUnique, references, values, rule } = column
    return [
      ...(isNullable ? [] : [{ name: `${name} is not null`, sql: breaking(`${name} is null`) }]),
      ...(isUnique ? [{ name: `${name} is unique`, sql: repeated([name]) }] : []),
      ...(references === undefined
        ? []
        : [
            {
              name: `${name} is in ${references.view}`,
              sql: breaking(
                `${name} is not null and ${name} not in (select ${references.column} from star_public.${references.view})`,
              ),
            },
          ]),
      ...(values === undefined
        ? []
        : [
            {
              name: `${name} is an accepted value`,
              sql: breaking(`${name} not in (${values.map(literal).join(', ')})`),
            },
          ]),
      ...(rule === undefined
        ? []
        : [{ name: `${name}: ${rule}`, sql: breaking(`not (${rule.replaceAll('value', name)})`) }]),
    ]
  })
  return [
    { name: `${key.join(', ')} tell rows apart`, sql: repeated(key) },
    ...rules.map((rule) => ({ name: rule, sql: breaking(`(${rule}) is not true`) })),
    ...ofColumns,
  ]
}

const ONE_CURRENT: Rule = {
  name: 'each asset has exactly one current version',
  sql: `select count(*)::int as broken from (
    select asset_id from star_public.dim_asset group by asset_id having count(*) filter (where is_current) <> 1) as a`,
}

const RULES = STAR_TABLES.map((table) => ({
  view: table.view,
  rules: table.view === 'dim_asset' ? [...rulesOf(table), ONE_CURRENT] : rulesOf(table),
}))

describe.each(availableDatabases())('the star schema of the synthetic data on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
  })
  afterAll(() => database?.close())

  it.each(RULES)('$view follows its rules', async ({ view, rules }) => {
    const [counted] = await database.rows<{ rows: number }>(
      `select count(*)::int as rows from star_public.${view}`,
    )
    expect(counted?.rows, 'rows').toBeGreaterThan(0)
    const broken: string[] = []
    // In a transaction, whose statements have the time limit of a batch: each rule reads a whole view.
    await database.transaction(async (tx) => {
      for (const { name, sql } of rules) {
        const [row] = await tx.rows<{ broken: number }>(sql)
        if (row?.broken !== 0) broken.push(`${name}: ${row?.broken} rows`)
      }
    })
    expect(broken).toEqual([])
    expect(rules.length).toBeGreaterThanOrEqual(4)
  })

  it('has every crypto asset of the master, and no other', async () => {
    const assets = await database.rows(
      `select count(*) filter (where d.asset_id is null)::int as missing, count(*)::int as crypto from asset as a
       left join star_public.dim_asset as d on d.asset_id = a.asset_id and d.is_current where a.asset_class = 'crypto'`,
    )
    const [current] = await database.rows<{ rows: number }>(
      'select count(*)::int as rows from star_public.dim_asset where is_current',
    )
    expect(assets).toEqual([{ missing: 0, crypto: current?.rows }])
  })

  it('counts the rows of each day as its views have them', async () => {
    for (const { view, counts, endpoint } of STAR_TABLES) {
      if (counts === undefined || endpoint?.time === undefined) continue
      const { name, kind: time } = endpoint.time
      const day = time === 'day' ? name : `(${name} at time zone 'UTC')::date`
      const wrong = await database.rows(
        `select coalesce(v.day, t.day) as day, v.rows, t.rows as counted
         from (select ${day} as day, count(*)::int as rows from star_public.${view} group by 1) as v
         full join (select day, row_count as rows from star_total where fact = $1 and row_count > 0) as t using (day)
         where v.rows is distinct from t.rows`,
        [view],
      )
      expect([view, wrong]).toEqual([view, []])
    }
  })
})
