import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { Sql } from '../../../src/platform/database/database.js'
import {
  type ColumnTable,
  declaredStatements,
  type Statement,
} from '../../../src/platform/database/statement.js'
import { availableDatabases } from '../../support/database/database.js'
import {
  type Describer,
  openDescriber,
  type PreparedColumn,
} from '../../support/database/describe-statement.js'
import { importSources, SOURCE_FILES, SRC } from '../../support/source-files.js'

interface Lie {
  readonly declared: readonly string[]
  readonly prepared: readonly string[]
  /** Columns that may be null in their table, and are declared as if they were not. */
  readonly nullable: readonly string[]
}

/** Null where the declaration is true. */
function lieOf(table: ColumnTable, columns: readonly PreparedColumn[]): Lie | null {
  const types = Object.entries(table).map(([name, column]): [string, string] => [
    name,
    typeof column === 'string' ? column : column.type,
  ])
  // Results do not have the parameters of a type, such as the digits of a decimal.
  const declared = types.map(([name, type]) => `${name} ${type.replace(/\(.*\)|\?/g, '')}`).sort()
  const prepared = columns.map(({ name, type }) => `${name} ${type}`).sort()
  const mayBeNull = new Set(columns.filter(({ isNullable }) => isNullable === true).map(({ name }) => name))
  const nullable = types
    .filter(([name, type]) => !type.endsWith('?') && mayBeNull.has(name))
    .map(([name]) => name)
  return declared.join() === prepared.join() && nullable.length === 0
    ? null
    : { declared, prepared, nullable }
}

describe.each(availableDatabases())('the rows of plain SQL on %s', (kind) => {
  let describer: Describer
  beforeAll(async () => {
    await importSources()
    describer = await openDescriber(kind)
  })
  afterAll(() => describer?.close())

  it('have the columns and types that their statements declare, and null only where declared', async () => {
    const statements = declaredStatements()
    expect(statements.length).toBeGreaterThan(25)
    for (const table of ['webhook_shard', 'newsletter_shard', 'schedule_shard', 'lane_shard'])
      expect(statements.filter(({ sql }) => sql.includes(`update ${table} set`)).length).toBeGreaterThan(1)
    const lies: unknown[] = []
    for (const { sql, columns } of statements) {
      const prepared = await describer.columnsOf(sql)
      const lie = lieOf(columns, prepared)
      if (lie !== null) lies.push({ sql, ...lie })
    }
    expect(lies).toEqual([])
  })

  it('fail if a declaration is wrong', async () => {
    const prepared = await describer.columnsOf('select tier, slug from asset')
    expect(lieOf({ tier: 'int4?', slug: 'text' }, prepared)).toBeNull()
    expect(lieOf({ tier: 'int2?', slug: 'text' }, prepared)).not.toBeNull()
    expect(lieOf({ tier: 'int4?', name: 'text' }, prepared)).not.toBeNull()
    expect(lieOf({ tier: 'int4?', slug: 'text', name: 'text' }, prepared)).not.toBeNull()
    // PGlite does not say which table a column is from.
    const lie = lieOf({ tier: 'int4', slug: 'text' }, prepared)
    expect(lie?.nullable ?? []).toEqual(kind === 'postgres' ? ['tier'] : [])
  })
})

/** Where rows get their types. */
const TYPED_IN = ['platform/database/database.ts', 'platform/database/statement.ts']

describe('plain SQL in src', () => {
  it('declares the row type of each statement beside it', () => {
    const undeclared = SOURCE_FILES.filter(
      (name) =>
        !TYPED_IN.includes(name) && /\brows<|\bas Statement</.test(readFileSync(join(SRC, name), 'utf8')),
    )
    expect(undeclared).toEqual([])
  })

  it('is declared once, at the top of a module, not each time it runs', () => {
    const declaredToRun = SOURCE_FILES.filter((name) =>
      /\brows\(\s*statements?\(/.test(readFileSync(join(SRC, name), 'utf8')),
    )
    expect(declaredToRun).toEqual([])
  })

  it('takes row types only from declarations', async () => {
    const sql: Pick<Sql, 'rows'> = { rows: async () => [] }
    // @ts-expect-error: rows of a plain text are unknown, whatever the function says it returns
    const lying = (): Promise<readonly { readonly n: number }[]> => sql.rows('select 1 as n')
    expect(await lying()).toEqual([])
    expectTypeOf(sql.rows('select 1 as n')).resolves.toEqualTypeOf<readonly unknown[]>()
    const made = 'select 1 as n' as Statement<{ readonly n: number }>
    expectTypeOf(sql.rows(made)).resolves.toEqualTypeOf<readonly { readonly n: number }[]>()
  })
})
