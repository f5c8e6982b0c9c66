// Measures the time of requests for the list of assets during an ingestion: on the embedded database, where the gateway
// does the work of the command, and on PostgreSQL, where the command does it.
// npm run -s bench:ingest -- [--ingest forex|reference|bis|candles] [--database pglite|postgres] [--file eurofxref-hist.csv]
// [--rate 10]. Without --file it generates a body: 216,840 rates or 52,800 observations. BENCH_DATABASE_URL is the server.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { compileGateway } from '../shared/build.js'
import { fixed, tableText } from '../shared/figures.js'
import { startServer } from '../shared/server-process.js'
import { createEmbeddedWorld, createWorld, SECRETS } from '../world.js'
import { INGESTIONS, prepareIngestion } from './bodies.js'
import { type Answered, steadyLoad } from './steady-load.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'

const WARM_UP_MS = 5_000
const IDLE_MS = 10_000

/** Limits are counted but never reached. */
const BURST_PER_MINUTE = '1000000000'

interface Stage {
  readonly env: Readonly<Record<string, string>>
  readonly apiKey: string
  remove(): Promise<void>
}

async function prepareStage(kind: string, directory: string): Promise<Stage> {
  const shared = { ...SECRETS, BURST_PER_MINUTE, LOG_LEVEL: 'warn', METRICS_PORT: '0' }
  if (kind === 'pglite') {
    const dataDir = join(directory, 'data')
    const apiKey = await createEmbeddedWorld(dataDir)
    return { env: { ...shared, DATA_DIR: dataDir }, apiKey, remove: async () => {} }
  }
  const { databaseUrl, apiKey, drop } = await createWorld(process.env.BENCH_DATABASE_URL ?? DEFAULT_URL)
  return { env: { ...shared, DATABASE_URL: databaseUrl, DATA_DIR: directory }, apiKey, remove: drop }
}

/** Returns the output of the command. Throws its error output if it fails. */
function ingest(script: string, args: readonly string[], env: Stage['env']): Promise<string> {
  const command = join(dirname(script), 'commands/ingest.js')
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((done, fail) =>
    child.on('close', (code) => (code === 0 ? done(output.trim()) : fail(new Error(output)))),
  )
}

function rowsOf(phase: string, { cold, warm, failures }: Answered): readonly (readonly string[])[] {
  return [['cold', cold] as const, ['warm', warm] as const].map(([kind, times]) => [
    `${phase}, ${kind}`,
    String(times.count),
    fixed(times.p50, 1),
    fixed(times.p99, 1),
    fixed(times.max, 1),
    String(failures),
  ])
}

const { values } = parseArgs({
  options: {
    ingest: { type: 'string' },
    database: { type: 'string' },
    file: { type: 'string' },
    rate: { type: 'string' },
  },
})
const kind = values.database ?? 'pglite'
if (kind !== 'pglite' && kind !== 'postgres') throw new Error('--database must be pglite or postgres')
const named = INGESTIONS.find((name) => name === (values.ingest ?? 'forex'))
if (named === undefined) throw new Error(`--ingest is ${INGESTIONS.join(', ')}`)
const directory = mkdtempSync(join(tmpdir(), 'mdg-bench-ingest-'))
const { args, env, close } = await prepareIngestion(
  named,
  directory,
  values.file === undefined ? null : resolve(values.file),
)
const script = compileGateway(directory)
const stage = await prepareStage(kind, directory)
try {
  const command = (): readonly [string, string] => [process.execPath, script]
  const server = await startServer({ command, env: { ...stage.env, ...env }, core: null })
  const load = { port: server.port, apiKey: stage.apiKey, rate: Number(values.rate ?? 10) }
  try {
    await steadyLoad(load, sleep(WARM_UP_MS))
    const idle = await steadyLoad(load, sleep(IDLE_MS))
    const first = await steadyLoad(load, ingest(script, args, { ...stage.env, ...env }))
    const again = await steadyLoad(load, ingest(script, args, { ...stage.env, ...env }))
    process.stdout.write(`${first.result}\n${again.result}\n`)
    process.stdout.write(
      tableText(
        `/v1/assets on ${kind} while ${named} is ingested, ms`,
        ['requests', 'p50', 'p99', 'max', 'failed'],
        [
          ...rowsOf('idle', idle.answered),
          ...rowsOf('first ingestion', first.answered),
          ...rowsOf('same body again', again.answered),
        ],
      ),
    )
  } finally {
    await server.stop()
  }
} finally {
  close()
  await stage.remove()
  rmSync(directory, { recursive: true, force: true })
}
