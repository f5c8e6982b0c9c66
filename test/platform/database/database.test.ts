import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import { asUnavailable } from '../../../src/platform/database/connection/connection-loss.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import {
  availableDatabases,
  copyEmbeddedWorld,
  createPostgresDatabase,
  databasesOfFile,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { startChild } from '../../support/processes/child.js'
import { waitedMs } from '../../support/waited-ms.js'

const databaseOf = databasesOfFile()

const UNAVAILABLE = expect.objectContaining({ name: 'ApiError', code: 'service_unavailable' })

describe.each(availableDatabases())('values on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
  })

  const read = async (sql: string, ...parameters: unknown[]) => {
    const [row] = await database.rows<{ value: unknown }>(`SELECT ${sql} AS value`, parameters)
    return row?.value
  }

  it.each<readonly [string, unknown]>([
    ["'2026-02-28'::date", '2026-02-28'],
    ["'2026-11-20 12:00:00.123+00'::timestamptz", new Date('2026-11-20T12:00:00.123Z')],
    ["'2026-07-01 12:00:00+02'::timestamptz(3)", new Date('2026-07-01T10:00:00Z')],
    ["'2026-11-20 12:00:00'::timestamp", '2026-11-20 12:00:00'],
    ['9007199254740991::int8', 9_007_199_254_740_991],
    ['(-7)::int4', -7],
    ['7::int2', 7],
    ['count(*)', 1],
    ["'1.10000000'::numeric(20,8)", '1.10000000'],
    ["'123456789012345678901234.5678'::numeric", '123456789012345678901234.5678'],
    ["'1.1'::numeric::float8", 1.1],
    ["'NaN'::float8", Number.NaN],
    ['0.5::float4', 0.5],
    ['true', true],
    ['false', false],
    ["'text'", 'text'],
    ["'EUR'::char(3)", 'EUR'],
    ["'crypto'::asset_class", 'crypto'],
    ["'5b3f6a52-5f0e-4d0e-9df7-3d3ab2a4f0c1'::uuid", '5b3f6a52-5f0e-4d0e-9df7-3d3ab2a4f0c1'],
    ['\'{"a": [1, null, "x"]}\'::json', { a: [1, null, 'x'] }],
    ['\'{"a": [1, null, "x"]}\'::jsonb', { a: [1, null, 'x'] }],
    ["'null'::jsonb", null],
    ["'\\x00ff10'::bytea", Buffer.from([0, 255, 16])],
    ['null::int4', null],
    [`array['a', 'b,"\\', null, '', 'NULL']::text[]`, ['a', 'b,"\\', null, '', 'NULL']],
    ['array[]::text[]', []],
    [
      'array[array[1,2],array[3,4]]::int4[]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["array['2026-02-28']::date[]", ['2026-02-28']],
    ["array['2026-02-28 00:00:00+00']::timestamptz[]", [new Date('2026-02-28T00:00:00Z')]],
    ['array[1.50, null]::numeric[]', ['1.50', null]],
    ['array[1, 2]::int8[]', [1, 2]],
    ['array[true, false]', [true, false]],
    ['array[\'{"a":1}\']::jsonb[]', [{ a: 1 }]],
  ])('reads %s', async (sql, value) => {
    expect(await read(sql)).toEqual(value)
  })

  it('throws for an int8 beyond exact numbers, and goes on', async () => {
    await expect(read('9007199254740992::int8')).rejects.toThrow(
      'int8 9007199254740992 is beyond exact numbers',
    )
    expect(await read('1')).toBe(1)
  })

  it.each<readonly [string, string, unknown, unknown]>([
    ['Date', '$1::timestamptz', new Date('2026-11-20T12:00:00.123Z'), new Date('2026-11-20T12:00:00.123Z')],
    ['date text', '$1::date', '2026-11-20', '2026-11-20'],
    ['integer', '$1::int4', 42, 42],
    ['number as text', '$1::text', 42, '42'],
    ['fraction', '$1::float8', 0.1, 0.1],
    ['bigint', '$1::int8', 9_007_199_254_740_991n, 9_007_199_254_740_991],
    ['decimal text', '$1::numeric', '0.12345678901234567890', '0.12345678901234567890'],
    ['true', '$1::bool', true, true],
    ['false', '$1::bool', false, false],
    ['null', '$1::int4', null, null],
    ['text', '$1::text', `it's "so" \\ €`, `it's "so" \\ €`],
    ['JSON text', '$1::jsonb', '{"a":[1]}', { a: [1] }],
    ['bytes', '$1::bytea', new Uint8Array([0, 255, 16]), Buffer.from([0, 255, 16])],
    ['text[]', '$1::text[]', ['a', null, '', '{"x,\\'], ['a', null, '', '{"x,\\']],
    ['empty array', '$1::text[]', [], []],
    ['int[]', '$1::int4[]', [1, 2], [1, 2]],
    ['Date[]', '$1::timestamptz[]', [new Date(0)], [new Date(0)]],
    ['bool[]', '$1::bool[]', [true, null], [true, null]],
    ['bytea[]', '$1::bytea[]', [new Uint8Array([1, 92])], [Buffer.from([1, 92])]],
    ['float8[]', '$1::float8[]', [0.1, 1e21], [0.1, 1e21]],
    ['date[]', '$1::date[]', ['2026-01-31', null], ['2026-01-31', null]],
    ['date[] before Christ', '$1::date[]', ['0044-03-15 BC', '2026-01-31'], ['0044-03-15 BC', '2026-01-31']],
    ['date[] without any', '$1::date[]', [], []],
    ['date[][]', '$1::date[]', [['2026-01-31'], ['2026-02-28']], [['2026-01-31'], ['2026-02-28']]],
  ])('sends %s', async (_, sql, parameter, value) => {
    expect(await read(sql, parameter)).toEqual(value)
  })

  it('loads rows by unnest in their order', async () => {
    const rows = await database.rows<{ quote: string; rate: string }>(
      'SELECT * FROM unnest($1::text[], $2::numeric[]) AS t(quote, rate)',
      [
        ['USD', 'JPY'],
        ['1.0842', '163.20'],
      ],
    )
    expect(rows).toEqual([
      { quote: 'USD', rate: '1.0842' },
      { quote: 'JPY', rate: '163.20' },
    ])
  })

  it.each([[{ a: 1 }], [undefined], [Symbol('x')]])('refuses the parameter %s', async (parameter) => {
    await expect(database.rows('SELECT $1::text', [parameter])).rejects.toThrow(
      'a parameter cannot have the type',
    )
  })

  it('runs its session in UTC', async () => {
    expect(await read("current_setting('TimeZone')")).toBe('UTC')
  })

  it('gives Prisma the values that plain SQL wrote, and vice versa', async () => {
    await database.rows(
      `INSERT INTO forex_rate (quote, date, rate, known_from, source) VALUES ('USD', '2026-11-20', 1.08420000, $1, 'seed')`,
      [new Date('2026-11-20T15:00:00.250Z')],
    )
    const [read] = await database.prisma.forexRate.findMany({ where: { quote: 'USD' } })
    expect(read?.rate.toFixed(4)).toBe('1.0842')
    expect(read?.date).toEqual(new Date('2026-11-20T00:00:00Z'))
    expect(read?.knownFrom).toEqual(new Date('2026-11-20T15:00:00.250Z'))
    const knownTo = new Date('2026-11-21T15:00:00.750Z')
    await database.prisma.forexRate.updateMany({ where: { quote: 'USD' }, data: { knownTo } })
    expect(await database.rows(`SELECT known_to FROM forex_rate WHERE quote = 'USD'`)).toEqual([
      { known_to: knownTo },
    ])
  })

  it('passes SQL errors on unchanged', async () => {
    await expect(database.rows('SELECT * FROM nothing_here')).rejects.toMatchObject({ code: '42P01' })
    await expect(database.rows('SELECT 1/0')).rejects.not.toBeInstanceOf(ApiError)
  })

  it('answers a ping', async () => {
    await expect(database.ping()).resolves.toBeUndefined()
  })
})

describe.each(availableDatabases())('transactions on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await databaseOf(kind)
    await database.script('CREATE TABLE note (n int PRIMARY KEY); CREATE TABLE other (n int)')
  })

  const notes = async () =>
    (await database.rows<{ n: number }>('SELECT n FROM note ORDER BY n')).map(({ n }) => n)

  it('commits the work and returns its result', async () => {
    const result = await database.transaction(async (tx) => {
      await tx.rows('INSERT INTO note VALUES (1)')
      return (await tx.rows<{ n: number }>('SELECT n FROM note'))[0]?.n
    })
    expect(result).toBe(1)
    expect(await notes()).toEqual([1])
  })

  it('rolls everything back if the work throws, and rethrows that error', async () => {
    const failure = new Error('second thoughts')
    const failing = database.transaction(async (tx) => {
      await tx.rows('INSERT INTO note VALUES (2)')
      throw failure
    })
    await expect(failing).rejects.toBe(failure)
    expect(await notes()).toEqual([1])
  })

  it('throws if the work swallowed an SQL error, because nothing was committed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await tx.rows('INSERT INTO note VALUES (3)')
      await tx.rows('INSERT INTO note VALUES (3)').catch(() => {})
    })
    await expect(swallowing).rejects.toThrow()
    expect(await notes()).toEqual([1])
  })

  it('refuses a transaction that is used after its end', async () => {
    const kept = await database.transaction(async (tx) => tx)
    await expect(kept.rows('INSERT INTO note VALUES (4)')).rejects.toThrow('the transaction is over')
    expect(await notes()).toEqual([1])
  })

  it('runs a script completely or not at all, and leaves the connections usable', async () => {
    await expect(
      database.script('INSERT INTO note VALUES (5); INSERT INTO other VALUES (1); SELECT 1/0;'),
    ).rejects.toMatchObject({ code: '22012' })
    expect(await notes()).toEqual([1])
    await database.script(
      "INSERT INTO note VALUES (6); DO $$ BEGIN PERFORM ';'; END $$; DELETE FROM note WHERE n = 6",
    )
    expect(await notes()).toEqual([1])
  })

  it('separates simultaneous transactions', async () => {
    await Promise.all(
      [11, 12, 13, 14, 15, 16].map((n) =>
        database
          .transaction(async (tx) => {
            await tx.rows('INSERT INTO note VALUES ($1)', [n])
            if (n % 2 === 0) throw new Error('even')
          })
          .catch(() => {}),
      ),
    )
    expect(await notes()).toEqual([1, 11, 13, 15])
  })

  it('counts the statements of plain SQL and of Prisma, without BEGIN and COMMIT', async () => {
    const before = database.statementCount()
    await database.rows('SELECT 1')
    await database.transaction(async (tx) => {
      await tx.rows('SELECT 1')
      await tx.rows('SELECT 1')
    })
    expect(database.statementCount() - before).toBe(3)
    await database.prisma.asset.findMany()
    expect(database.statementCount() - before).toBe(4)
    await database.transaction(async (tx) => {
      await tx.prisma.asset.count()
      await tx.rows('SELECT 1')
      await tx.prisma.forexRate.count()
    })
    expect(database.statementCount() - before).toBe(7)
  })
})

describe('PGlite has one connection', () => {
  it('lets an outside call wait for the end of the transaction: awaiting it inside would never end', async () => {
    const database = await databaseOf('pglite')
    await database.script('CREATE TABLE waited (n int)')
    const steps: string[] = []
    let outside: Promise<unknown> = Promise.resolve()
    await database.transaction(async (tx) => {
      outside = database
        .rows('SELECT n FROM waited')
        .then((rows) => steps.push(`outside saw ${rows.length} row`))
      await tx.rows('INSERT INTO waited VALUES (1)')
      // That the call from outside waits shows only after a while.
      await new Promise((resolve) => setTimeout(resolve, 50))
      steps.push('transaction ends')
    })
    await outside
    expect(steps).toEqual(['transaction ends', 'outside saw 1 row'])
  })
})

describe('an embedded directory', () => {
  const writer = resolve(import.meta.dirname, 'children/write-until-killed.ts')
  let base: string
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'embedded-'))
  })
  afterAll(() => rmSync(base, { recursive: true }))

  it('keeps its rows when it is closed and opened again, and frees the directory', async () => {
    const target = { kind: 'embedded', directory: join(base, 'kept') } as const
    await copyEmbeddedWorld('empty', target.directory)
    const first = await openDatabase(target)
    await first.script('CREATE TABLE note (n int); INSERT INTO note VALUES (1), (2)')
    await expect(openDatabase(target)).rejects.toThrow(`is held by this process (${process.pid}) already`)
    await first.close()
    const second = await openDatabase(target)
    expect(await second.rows('SELECT count(*) FROM note')).toEqual([{ count: 2 }])
    await second.close()
  })

  it('loses no acknowledged write when its process is killed, twice', async () => {
    const directory = join(base, 'killed')
    await copyEmbeddedWorld('empty', directory)
    const acknowledged: number[] = []
    const rows = async () => {
      const database = await openDatabase({ kind: 'embedded', directory })
      const found = await database.rows<{ n: number }>('SELECT n FROM acknowledged ORDER BY n')
      await database.script('TRUNCATE acknowledged')
      await database.close()
      return new Set(found.map(({ n }) => n))
    }
    for (let round = 0; round < 2; round += 1) {
      const child = await startChild(writer, [directory])
      acknowledged.length = 0
      while (acknowledged.length < 200) acknowledged.push(Number(await child.line()))
      acknowledged.push(...(await child.kill('SIGKILL')).map(Number))
      const kept = await rows()
      expect(acknowledged.filter((n) => !kept.has(n))).toEqual([])
      expect(kept.size - acknowledged.length).toBeLessThanOrEqual(1) // committed, killed before it could say so
    }
  })

  it('starts again after its first start was killed half-way', async () => {
    const directory = join(base, 'half-way')
    mkdirSync(join(directory, 'base'), { recursive: true })
    writeFileSync(join(directory, 'PG_VERSION'), '18\n')
    writeFileSync(`${directory}.creating`, '')
    const database = await openDatabase({ kind: 'embedded', directory })
    expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
    await database.close()
    expect(existsSync(`${directory}.creating`)).toBe(false)
  })

  it.each<[string, (directory: string) => void, string]>([
    ['its version', (path) => rmSync(join(path, 'PG_VERSION')), 'PG_VERSION is missing'],
    [
      'another version',
      (path) => writeFileSync(join(path, 'PG_VERSION'), '17\n'),
      'created by PostgreSQL 17',
    ],
    [
      'its log',
      (path) => rmSync(join(path, 'pg_wal'), { recursive: true }),
      'its write-ahead log pg_wal is missing',
    ],
    ['its control file', (path) => rmSync(join(path, 'global/pg_control')), 'global/pg_control is missing'],
    ['half a control file', (path) => truncateSync(join(path, 'global/pg_control'), 100), 'has 100 bytes'],
    [
      'a control file of zeros',
      (path) => writeFileSync(join(path, 'global/pg_control'), Buffer.alloc(8_192)),
      'some of its files are damaged',
    ],
  ])(
    'says what is wrong with a directory without %s, and leaves it as it is',
    async (what, damage, fault) => {
      const directory = join(base, `broken ${what}`)
      await copyEmbeddedWorld('empty', directory)
      damage(directory)
      const before = readdirSync(directory)
      await expect(openDatabase({ kind: 'embedded', directory })).rejects.toThrow(fault)
      expect(readdirSync(directory)).toEqual(before)
      expect(existsSync(`${directory}.lock`)).toBe(false)
    },
  )

  it('does not follow a link in place of its marker', async () => {
    const directory = join(base, 'linked marker')
    writeFileSync(join(base, 'letter.txt'), 'dear')
    symlinkSync(join(base, 'letter.txt'), `${directory}.creating`)
    await expect(openDatabase({ kind: 'embedded', directory })).rejects.toThrow(
      '.creating is not a file of this gateway',
    )
    expect(readFileSync(join(base, 'letter.txt'), 'utf8')).toBe('dear')
  })

  it('removes nothing from a directory that was not empty, and says that it is not a database', async () => {
    const directory = join(base, 'someone')
    mkdirSync(directory)
    writeFileSync(join(directory, 'letter.txt'), 'dear')
    await expect(openDatabase({ kind: 'embedded', directory })).rejects.toThrow(
      `The embedded database in ${realpathSync(directory)} cannot be opened: PG_VERSION is missing, so its other files are not a database. To go on, restore the directory from a backup, or move it away and start again with an empty one (or set DATA_DIR)`,
    )
    expect(readFileSync(join(directory, 'letter.txt'), 'utf8')).toBe('dear')
    expect(existsSync(`${directory}.creating`)).toBe(false)
    expect(existsSync(`${directory}.lock`)).toBe(false)
  })
})

describe.skipIf(!availableDatabases().includes('postgres'))(
  'a PostgreSQL that becomes unreachable and returns',
  () => {
    it('is service_unavailable while unreachable and serves again by itself', async () => {
      const url = await createPostgresDatabase()
      const proxy = await startProxy(Number(new URL(url).port || 5432), new URL(url).hostname)
      const through = new URL(url)
      through.host = `127.0.0.1:${proxy.port}`
      const database = await openDatabase({ kind: 'postgres', url: through.href, poolSize: 2 })
      expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
      await proxy.stop()
      await expect(database.rows('SELECT 1')).rejects.toEqual(UNAVAILABLE)
      await expect(database.rows('SELECT 1')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
      await expect(database.transaction(async () => 1)).rejects.toEqual(UNAVAILABLE)
      await expect(database.ping()).rejects.toEqual(UNAVAILABLE)
      expect(await database.prisma.$queryRaw`SELECT 1`.catch(asUnavailable)).toEqual(UNAVAILABLE)
      expect(await database.prisma.asset.findMany().catch(asUnavailable)).toEqual(UNAVAILABLE)
      await expect(database.transaction((tx) => tx.prisma.asset.count())).rejects.toEqual(UNAVAILABLE)
      await proxy.start()
      expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
      expect(await database.transaction((tx) => tx.rows('SELECT 1 AS one'))).toEqual([{ one: 1 }])
      await database.close()
      await proxy.stop()
      await dropPostgresDatabase(url)
    })

    it('survives that the server ends its idle and its busy connections', async () => {
      const url = await createPostgresDatabase()
      const errors: string[] = []
      let areBroken = () => {}
      const broken = new Promise<void>((resolve) => {
        areBroken = resolve
      })
      const onError = ({ message }: Error) => {
        if (errors.push(message) === 2) areBroken()
      }
      const database = await openDatabase({ kind: 'postgres', url, poolSize: 3 }, { onError })
      const operator = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
      const endAll = () =>
        operator.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
      await Promise.all([database.rows('SELECT 1'), database.rows('SELECT 1')])
      await endAll()
      await broken
      expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
      expect(errors).toHaveLength(2)

      const sleeping = expect(database.rows('SELECT pg_sleep(20)')).rejects.toEqual(UNAVAILABLE)
      const writing = expect(
        database.transaction(async (tx) => {
          await tx.rows('SELECT 1')
          await endAll()
          await tx.rows('SELECT 1')
        }),
      ).rejects.toEqual(UNAVAILABLE)
      await Promise.all([sleeping, writing])
      expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
      await database.close()
      await operator.close()
      await dropPostgresDatabase(url)
    })

    it('answers a ping within its bound if the server does not respond', async () => {
      const silent = createServer(() => {})
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const address = silent.address()
      const port = typeof address === 'object' ? address?.port : 0
      const database = await openDatabase({ kind: 'postgres', url: `postgresql://x@127.0.0.1:${port}/x` })
      const waited = await waitedMs(() => expect(database.ping()).rejects.toEqual(UNAVAILABLE))
      expect(waited).toBeGreaterThan(0)
      expect(waited).toBeLessThanOrEqual(2_000)
      silent.close()
    })
  },
)

/** A port that leads to the server while started; stopping it breaks what runs through it. */
async function startProxy(targetPort: number, targetHost: string) {
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    const outer = dial(targetPort, targetHost)
    for (const socket of [inner, outer]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    inner.pipe(outer).pipe(inner)
  })
  let port = 0
  const start = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  }
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await start()
  return { port, start, stop }
}
