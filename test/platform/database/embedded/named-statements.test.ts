import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { NamedStatements } from '../../../../src/platform/database/embedded/named-statements.js'
import { embeddedImage } from '../../../support/database/database.js'

interface Prepared {
  readonly name: string
  readonly runs: number
}

let engine: PGlite
let named: NamedStatements

beforeAll(async () => {
  engine = await PGlite.create({ loadDataDir: await embeddedImage('empty') })
})
afterAll(() => engine.close())

beforeEach(async () => {
  named = new NamedStatements(engine)
  await engine.exec('deallocate all; drop schema public cascade; create schema public')
})

/** What PostgreSQL holds. */
async function prepared(sql: string): Promise<readonly Prepared[]> {
  const { rows } = await engine.query<Prepared>(
    'select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements where statement = $1',
    [sql],
  )
  return rows
}

async function preparedCount(): Promise<number> {
  const { rows } = await engine.query<{ n: number }>('select count(*)::int as n from pg_prepared_statements')
  return rows[0]?.n ?? 0
}

describe('a statement outside transactions', () => {
  const SUM = 'select $1::int + 1 as sum, $2::text as text'

  it('is prepared once, and run by its name', async () => {
    expect(await named.rows(SUM, ['1', 'a'])).toEqual([{ sum: 2, text: 'a' }])
    expect(await named.rows(SUM, ['2', null])).toEqual([{ sum: 3, text: null }])
    expect(await named.rows(SUM, ['3', "'"])).toEqual([{ sum: 4, text: "'" }])
    expect(await prepared(SUM)).toEqual([{ name: expect.any(String), runs: 3 }])
  })

  it('returns no rows if none match, and if it returns none', async () => {
    await engine.exec('create table t (n int)')
    for (const sql of ['select n from t where n > $1', 'delete from t where n > $1']) {
      expect(await named.rows(sql, ['1'])).toEqual([])
      expect(await named.rows(sql, ['2'])).toEqual([])
    }
  })

  it('is closed after many others were used', async () => {
    const at = (n: number) => `select ${n} as n`
    for (let n = 0; n < 300; n += 1) {
      await named.rows(at(n), [])
      await named.rows(SUM, ['1', 'often'])
    }
    expect(await preparedCount()).toBeLessThanOrEqual(257) // one is closed with the next that is prepared
    expect(await prepared(at(0))).toEqual([])
    expect(await prepared(at(299))).toHaveLength(1)
    expect((await prepared(SUM))[0]?.runs).toBe(300)
    expect(await named.rows(at(0), [])).toEqual([{ n: 0 }])
  })

  it('is prepared again, once, if PostgreSQL no longer has it', async () => {
    await named.rows(SUM, ['1', 'a'])
    await engine.exec('discard all')
    expect(await named.rows(SUM, ['2', 'b'])).toEqual([{ sum: 3, text: 'b' }])
    expect(await named.rows(SUM, ['3', 'c'])).toEqual([{ sum: 4, text: 'c' }])
    expect(await prepared(SUM)).toEqual([{ name: expect.any(String), runs: 2 }])
  })

  it('returns the columns and parses the parameters that its tables have now', async () => {
    await engine.exec('create table t (n int); insert into t values (1)')
    const all = 'select * from t where n = $1'
    expect(await named.rows(all, ['1'])).toEqual([{ n: 1 }])
    await engine.exec("alter table t add column more text default 'new'")
    expect(await named.rows(all, ['1'])).toEqual([{ n: 1, more: 'new' }])
    await engine.exec('alter table t alter column n type text')
    expect(await named.rows(all, ['1'])).toEqual([{ n: '1', more: 'new' }])
    await engine.exec('drop table t; create table t (n int); insert into t values (1)')
    expect(await named.rows(all, ['1'])).toEqual([{ n: 1 }])
    expect(await prepared(all)).toHaveLength(1)
  })
})

describe('a statement that fails', () => {
  it('gives the error of PostgreSQL and PGlite, prepared or not, and runs again after it', async () => {
    const inverse = 'select 1 / $1::int as inverse'
    const refused = { code: '22012', message: 'division by zero', severity: 'ERROR' }
    const direct = await engine.query(inverse, [0]).catch((error: unknown) => error)
    expect(direct).toMatchObject(refused)
    for (const _ of ['first', 'by its name']) {
      const error = await named.rows(inverse, ['0']).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ ...refused, query: inverse, params: ['0'] })
      expect(error).toBeInstanceOf(Error)
      expect(error?.constructor).toBe(direct?.constructor)
    }
    expect(await named.rows(inverse, ['1'])).toEqual([{ inverse: 1 }])
    expect(await prepared(inverse)).toHaveLength(1)
  })

  it('is not repeated once it has begun', async () => {
    await engine.exec('create sequence s')
    const next = "select nextval('s') / $1::int as n"
    await named.rows(next, ['1'])
    await expect(named.rows(next, ['0'])).rejects.toMatchObject({ code: '22012' })
    expect(await named.rows("select nextval('s') as n", [])).toEqual([{ n: 3 }])
  })

  it('fails by each parameter of a wrong type, and accepts the next right one', async () => {
    const same = 'select $1::int as n'
    for (const wrong of ['x', 'y'])
      await expect(named.rows(same, [wrong])).rejects.toMatchObject({ code: '22P02' })
    expect(await named.rows(same, ['7'])).toEqual([{ n: 7 }])
    await expect(named.rows(same, ['z'])).rejects.toMatchObject({ code: '22P02' })
    expect(await named.rows(same, ['8'])).toEqual([{ n: 8 }])
    expect(await prepared(same)).toHaveLength(1)
  })

  it('is not kept if it cannot be prepared', async () => {
    await expect(named.rows('selec 1', [])).rejects.toMatchObject({ code: '42601' })
    await expect(named.rows('select 1; select 2', [])).rejects.toMatchObject({ code: '42601' })
    await expect(named.rows('select n from later', [])).rejects.toMatchObject({ code: '42P01' })
    expect(await preparedCount()).toBe(0)
    await engine.exec('create table later (n int)')
    expect(await named.rows('select n from later', [])).toEqual([])
  })

  it('fails if its commit is refused', async () => {
    await engine.exec('create table t (n int unique deferrable initially deferred)')
    const insert = 'insert into t values ($1) returning n'
    expect(await named.rows(insert, ['1'])).toEqual([{ n: 1 }])
    await expect(named.rows(insert, ['1'])).rejects.toMatchObject({ code: '23505' })
    expect(await named.rows(insert, ['2'])).toEqual([{ n: 2 }])
  })
})

describe('simultaneous statements', () => {
  it('wait for the open transaction, prepared or not', async () => {
    await engine.exec('create table t (n int)')
    const count = 'select count(*)::int as n from t'
    for (const before of [0, 2]) {
      let isOver = false
      let waiting: Promise<unknown> | undefined
      await engine.transaction(async (tx) => {
        await tx.query('insert into t values (1)')
        waiting = named.rows(count, []).then((rows) => [rows, isOver])
        // That the statement waits shows only after a while.
        await new Promise((resolve) => setTimeout(resolve, 20))
        await tx.query('insert into t values (2)')
        isOver = true
      })
      expect(await waiting).toEqual([[{ n: before + 2 }], true])
    }
  })

  it('get separate answers', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => n)
    const answers = await Promise.all(
      asked.map((n) => {
        const text = `select $1::int as "of${n % 7}"`
        return n % 3 === 0 ? engine.query(text, [n]).then(({ rows }) => rows) : named.rows(text, [String(n)])
      }),
    )
    expect(answers).toEqual(asked.map((n) => [{ [`of${n % 7}`]: n }]))
  })

  it('survive a transaction that fails, with its changes of tables undone', async () => {
    await engine.exec('create table t (n int); insert into t values (1)')
    const all = 'select * from t'
    await named.rows(all, [])
    const failing = engine.transaction(async (tx) => {
      await tx.exec('alter table t add column more text')
      await tx.query('select 1 / 0')
    })
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await named.rows(all, [])).toEqual([{ n: 1 }])
    expect((await prepared(all))[0]?.runs).toBe(2)
  })
})

describe('the embedded database', () => {
  let database: Database
  beforeAll(async () => {
    database = await openDatabase({ kind: 'memory', loadDataDir: await embeddedImage('empty') })
  })
  afterAll(() => database.close().catch(() => {})) // the last test has closed it

  const MODE = "select current_setting('plan_cache_mode') as mode"

  it('plans statements once for all parameters outside transactions, and for each parameter inside', async () => {
    const generic = [{ mode: 'force_generic_plan' }]
    const own = [{ mode: 'auto' }]
    expect(await database.rows(MODE)).toEqual(generic)
    expect(await database.transaction((tx) => tx.rows(MODE))).toEqual(own)
    expect(await database.snapshot((snapshot) => snapshot.rows(MODE))).toEqual(own)
    const failing = database.transaction((tx) => tx.rows('select 1 / 0'))
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await database.rows(MODE)).toEqual(generic)
  })

  it('keeps statements outside transactions, and no others', async () => {
    await database.transaction((tx) => tx.rows('select 1 as within'))
    await database.rows('select 1 as outside')
    const kept = "select statement from pg_prepared_statements where statement like 'select 1 as %'"
    expect(await database.rows(kept)).toEqual([{ statement: 'select 1 as outside' }])
  })

  it('refuses statements once it is closed', async () => {
    await database.close()
    await expect(database.rows(MODE)).rejects.toThrow('PGlite is closed')
  })
})
