// Measures whether reads stay fast while the tables grow. For each size it creates a PostgreSQL database, fills it with
// that many candles and a proportional number of assets, rates, analyses and changes, and then measures every read of the
// stores at all sizes in turn, so that noise of the machine affects all equally. Databases are opened like in the gateway.
// The page index of a list of assets is not measured, because it is read once per version of the dataset and not per
// request. The page indexes of the star schema have separate paths.
// npm run -s bench -- growth [--sizes 1e5,1e6,1e7] [--rounds 40] [--json FILE] [--keep]
// Fails if a read scans a big table completely. BENCH_DATABASE_URL is the server. The databases are dropped at the end
// unless --keep is given.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../../src/platform/database/database.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { ANALYSIS_PATHS } from './analysis-paths.js'
import { ASSET_PATHS } from './asset-paths.js'
import { CHANGE_PATHS } from './change-paths.js'
import { MACRO_PATHS } from './macro-paths.js'
import { measure } from './measure.js'
import { readWhole } from './plans.js'
import { reportOf, textOf } from './report.js'
import { SERIES_PATHS } from './series-paths.js'
import { drop, prepare, type Stage } from './stage.js'
import { STAR_PATHS } from './star-paths.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const DEFAULT_SIZES = '1e5,1e6,1e7'
const DEFAULT_ROUNDS = 40

const PATHS = [
  ...SERIES_PATHS,
  ...MACRO_PATHS,
  ...ASSET_PATHS,
  ...ANALYSIS_PATHS,
  ...CHANGE_PATHS,
  ...STAR_PATHS,
]

interface Options {
  /** From the smallest to the largest. */
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly json: string | null
  readonly keep: boolean
}

function readOptions(): Options {
  const text = { type: 'string' } as const
  const options = { sizes: text, rounds: text, json: text, keep: { type: 'boolean' } } as const
  const { values } = parseArgs({ options })
  const sizes = (values.sizes ?? DEFAULT_SIZES).split(',').map(Number)
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS)
  if (![...sizes, rounds].every((count) => Number.isInteger(count) && count > 0)) {
    throw new Error('--sizes and --rounds must be whole numbers, such as 1e5,1e6')
  }
  return {
    sizes: sizes.sort((a, b) => a - b),
    rounds,
    json: values.json ?? null,
    keep: values.keep ?? false,
  }
}

async function main(): Promise<void> {
  const { sizes, rounds, json, keep } = readOptions()
  const serverUrl = process.env.BENCH_DATABASE_URL ?? DEFAULT_URL
  const server = await openDatabase(
    { kind: 'postgres', url: serverUrl, poolSize: 1 },
    { limits: BATCH_LIMITS },
  )
  const stages: Stage[] = []
  try {
    for (const size of sizes) {
      const stage = await prepare(server, serverUrl, size)
      stages.push(stage)
      process.stderr.write(`${stage.name} loaded in ${stage.loadSeconds.toFixed(1)} s\n`)
    }
    const faults = await readWhole(stages, PATHS)
    const report = reportOf(stages, await measure(stages, PATHS, rounds), rounds)
    process.stdout.write(textOf(report))
    if (json !== null) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`)
    if (faults.length > 0) throw new Error(`reads that grow with their table:\n  ${faults.join('\n  ')}`)
  } finally {
    for (const stage of stages) await (keep ? stage.database.close() : drop(server, stage))
    await server.close()
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
