import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync, statSync, type WriteStream, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/platform/database/database.js'
import { compiled } from '../support/processes/compiled.js'
import { ask, cleanUp, type Ended, type Gateway, START_MS, seededDataDir, startGateway } from './gateway.js'

const ROOT = resolve(import.meta.dirname, '../..')
const DAY_MS = 86_400_000

/** Days of official rates, newest first, as the provider's file has them. */
function daysOf(count: number): string[] {
  const newest = Date.UTC(2026, 10, 19)
  return Array.from({ length: count }, (_, at) => {
    const date = new Date(newest - at * DAY_MS).toISOString().slice(0, 10)
    return `${date},1.5,170.5,0.85,`
  })
}

const HEADER = 'Date,USD,JPY,GBP,'

interface Command {
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
}

/** A command in a process of its own. */
async function start(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = ROOT,
): Promise<Command> {
  const file = await compiled(`src/commands/${name}.ts`)
  const child = spawn(process.execPath, [file, ...args], { cwd, env: { PATH: process.env.PATH, ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }))
  return { ended, kill: (signal) => void child.kill(signal) }
}

const run = async (...given: Parameters<typeof start>) => (await start(...given)).ended

/** A body that comes piece by piece: a named pipe that the test writes to. */
class Pipe {
  readonly path: string
  #out: WriteStream | null = null

  constructor(path: string) {
    this.path = path
    spawnSync('mkfifo', [path])
  }

  /** Resolves when the reader has taken it, up to what the system keeps for it. */
  async write(lines: readonly string[]): Promise<void> {
    this.#out ??= createWriteStream(this.path).on('error', () => {}) // the reader is gone
    const out = this.#out
    await new Promise((taken) => out.write(`${lines.join('\n')}\n`, taken))
  }

  end(): void {
    this.#out?.end()
  }
}

describe('commands beside a gateway on the embedded database', { timeout: START_MS }, () => {
  let dataDir: string
  let env: NodeJS.ProcessEnv
  let gateway: Gateway
  let key: string
  beforeAll(async () => {
    dataDir = await seededDataDir()
    env = { DATA_DIR: dataDir }
    gateway = await startGateway({ DATA_DIR: dataDir })
    key = (JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as { growth: string }).growth
  }, START_MS)
  afterAll(cleanUp)

  interface Forex {
    readonly rows: number
    readonly _meta: { readonly sources: readonly string[] }
  }
  const usdRates = async () => {
    const { body } = await ask<Forex>(`${gateway.url}/v1/forex?quote=USD&from=2000-01-01`, key)
    return { source: body._meta.sources.join(), days: body.rows }
  }
  const usdSource = async () => (await usdRates()).source
  const pipe = (name: string) => new Pipe(join(dirname(dataDir), name))

  /** Begins an ingestion whose body stops half-way, after more than a slice of it was staged. */
  const ingestHalf = async (name: string) => {
    const body = pipe(name)
    const command = await start('ingest', ['ecb-history', '--file', body.path], env)
    const days = daysOf(9_000)
    await body.write([HEADER, ...days.slice(0, 8_000)])
    return { body, command, rest: days.slice(8_000) }
  }

  it('are run by it, over a socket for its user only', async () => {
    expect((statSync(join(dataDir, 'control.sock')).mode & 0o777).toString(8)).toBe('600')
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe('700')
    const made = await run('key', ['--tier', 'growth', '--label', 'made while it runs'], env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { raw_key } = JSON.parse(made.stdout) as { raw_key: string }
    expect((await ask(`${gateway.url}/v1/assets`, raw_key)).status).toBe(200)
    const users = await run('admin', ['users', 'list', '--json'], env)
    expect([users.code, users.stderr]).toEqual([0, ''])
    expect(users.stdout).toContain('"tier": "growth"')
    const wrong = await run('key', ['--tier', 'growht', '--label', 'x'], env)
    expect([wrong.code, wrong.stderr]).toMatchObject([1, expect.stringContaining('did you mean growth?')])
  })

  it('find it healthy: doctor ends with 0', async () => {
    const { code, stdout, stderr } = await run('admin', ['doctor'], env)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ok {7}database +embedded PostgreSQL [\d.]+ answers in /m)
    expect(stdout).not.toMatch(/^problem/m)
  })

  it('check a price and a snapshot, and end with 2 if something cannot be checked', async () => {
    const day = await ask<{ data: { candles: { ts: string; vwap_usd: number | null }[] } }>(
      `${gateway.url}/v1/assets/bitcoin/ohlcv?limit=1`,
      key,
    )
    const [candle] = day.body.data.candles
    const price = await run('verify', ['consensus', 'bitcoin', candle?.ts ?? '', '--json'], env)
    expect([price.code, price.stderr]).toEqual([0, ''])
    const report = JSON.parse(price.stdout) as { match: boolean; published_usd: string }
    expect([report.match, Number(report.published_usd)]).toEqual([true, candle?.vwap_usd])
    const latest = await ask<{ snapshot_id: string }>(
      `${gateway.url}/v1/assets/bitcoin/ai-analysis/latest`,
      key,
    )
    const snapshot = await run('verify', ['snapshot', latest.body.snapshot_id], env)
    expect([snapshot.code, snapshot.stderr]).toEqual([0, ''])
    expect(snapshot.stdout).toMatch(/content_hash +ok\n[\s\S]*unchanged\n$/)
    const missing = await run('verify', ['consensus', 'bitcoin', '2001-01-01'], env)
    expect([missing.code, missing.stdout]).toEqual([2, ''])
    expect(missing.stderr).toBe('the candle of bitcoin, 1d, 2001-01-01T00:00:00.000Z is not stored\n')
  })

  it('create analyses', async () => {
    const { code, stdout } = await run('analyse', ['--asset', 'bitcoin', '--force', '--json'], env)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { failed: 0, dropped: 0 }])
    expect((JSON.parse(stdout) as { added: number }).added).toBeGreaterThan(0)
  })

  it('that are interrupted write nothing, and the gateway goes on', async () => {
    const { body, command, rest } = await ingestHalf('interrupted.csv')
    command.kill('SIGINT')
    await body.write(rest)
    body.end()
    const { code, stdout, stderr } = await command.ended
    expect([code, stdout, stderr]).toEqual([
      130,
      '',
      'ingest: stopped (interrupted); unfinished work was not written\n',
    ])
    expect(await usdSource()).toBe('seed')
  })

  it('that are killed write nothing, and the gateway goes on', async () => {
    const { body, command, rest } = await ingestHalf('killed.csv')
    command.kill('SIGKILL')
    await command.ended
    await body.write(rest)
    body.end()
    expect(await usdSource()).toBe('seed')
  })

  it('ingest a file while requests go on, which then see all of it', async () => {
    writeFileSync(join(dirname(dataDir), 'rates.csv'), `${[HEADER, ...daysOf(6_000)].join('\n')}\n`)
    const command = await start(
      'ingest',
      ['ecb-history', '--file', 'rates.csv', '--json'],
      env,
      dirname(dataDir),
    )
    let isOver = false
    void command.ended.then(() => {
      isOver = true
    })
    const before = await usdRates()
    const seen: Awaited<ReturnType<typeof usdRates>>[] = []
    while (!isOver) seen.push(await usdRates())
    const { code, stdout, stderr } = await command.ended
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ rows: 18_000, added: 18_000, revised: 0, unchanged: 0 })
    const after = { source: 'ecb', days: 6_000 }
    expect(before.source).toBe('seed')
    for (const answer of seen) expect([before, after]).toContainEqual(answer)
    // The state of the data may be half a second old in an answer.
    await expect.poll(usdRates, { timeout: 5_000 }).toEqual(after)
    const device = await run('ingest', ['ecb-history', '--file', '/dev/stdin'], env)
    expect(device).toMatchObject({
      code: 1,
      stderr: 'ingest: /dev/stdin: the running gateway opens the file, so it must be on disk (see --help)\n',
    })
  })

  it('end with it if it is killed, leave nothing partial, and it starts again', async () => {
    const { body, command } = await ingestHalf('gateway-killed.csv')
    await gateway.stop('SIGKILL')
    body.end()
    expect(await command.ended).toMatchObject({
      code: 1,
      stderr: 'ingest: the gateway ended before the command did; what it had not finished was not written\n',
    })
    gateway = await startGateway({ DATA_DIR: dataDir })
    expect((await run('admin', ['users', 'list'], env)).code).toBe(0)
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 })

    const database = await openDatabase({ kind: 'embedded', directory: dataDir })
    const runs = await database.rows(
      `select status, error, added from ingest_run where feed = 'ecb-history' order by started_at`,
    )
    const rates = await database.rows(
      `select source, count(*) as rows, count(known_to) as closed from only forex_rate group by source`,
    )
    const staged = await database.rows(`select relname from pg_class where relname ~ '^staged_'`)
    await database.close()
    expect(runs).toEqual([
      { status: 'failed', error: 'Interrupted: interrupted', added: 0 },
      { status: 'failed', error: 'Interrupted: the command that requested it has ended', added: 0 },
      { status: 'succeeded', error: null, added: 18_000 },
      { status: 'failed', error: 'the process ended during the run', added: 0 },
    ])
    expect(rates).toEqual([{ source: 'ecb', rows: 18_000, closed: 0 }])
    expect(staged).toEqual([])
  })

  it('open the database themselves without a gateway, and can be interrupted too', async () => {
    const { code, stdout } = await run('admin', ['users', 'list', '--json'], env)
    expect([code, (JSON.parse(stdout) as { total: number }).total > 5]).toEqual([0, true])
    const { body, command, rest } = await ingestHalf('alone.csv')
    command.kill('SIGINT')
    await body.write(rest)
    body.end()
    expect(await command.ended).toMatchObject({ code: 130, stdout: '' })
  })
})
