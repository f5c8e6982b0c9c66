// Measures how long a node that has not seen a key needs to find its caller: with one pepper, and with the second one of a
// rotation. Statements, milliseconds and CPU time of this process per look-up, in rounds that alternate, on a separate
// PostgreSQL database. Keys are stored with the current pepper, so nothing moves.
// npm run -s bench:keys -- [--rounds 20]. BENCH_DATABASE_URL is the server.
import { parseArgs } from 'node:util'
import { systemClock } from '../../../src/core/time.js'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { createAccess } from '../../../src/domains/access/service.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { NO_OVERLAP, type PepperOverlap } from '../../../src/platform/secrets/peppers.js'
import { SERVED_SCOPES } from '../../../src/served-scopes.js'
import { fixed, quantile, tableText } from '../shared/figures.js'
import { createWorld, SECRETS } from '../world.js'

const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const KEYS = 200
const OTHER = 'the-second-pepper-of-the-benchmark-0123456789'

interface Arm {
  readonly name: string
  readonly overlap: PepperOverlap
  readonly ms: number[]
  readonly cpuMicros: number[]
  readonly statements: number[]
}

const arm = (name: string, overlap: PepperOverlap): Arm => ({
  ...{ name, overlap },
  ...{ ms: [], cpuMicros: [], statements: [] },
})

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number')
const world = await createWorld(process.env.BENCH_DATABASE_URL ?? DEFAULT_URL)
try {
  const database = await openDatabase({ kind: 'postgres', url: world.databaseUrl, poolSize: 2 })
  const newAccess = (overlap: PepperOverlap) =>
    createAccess({
      ...{ database, clock: systemClock, log: createLogger('silent'), overlap },
      ...{
        pepper: SECRETS.KEY_PEPPER,
        tokenKeys: SECRETS.JWT_KEYS,
        mode: 'test',
        servedScopes: SERVED_SCOPES,
      },
    })
  const maker = newAccess(NO_OVERLAP)
  const known: string[] = []
  for (let made = 0; made < KEYS; made++)
    known.push((await createAccountWithKey(maker, { tier: 'free', label: 'bench' })).raw_key)
  const unknown = known.map(() => maker.newKey().rawKey)
  await maker.close()

  const measure = async ({ overlap, ...into }: Arm, keys: readonly string[], counts: boolean) => {
    const access = newAccess(overlap)
    const before = database.statementCount()
    const cpu = process.cpuUsage()
    const beganAt = performance.now()
    for (const apiKey of keys) await access.authenticate({ apiKey, bearer: null }).catch(() => null)
    const ms = performance.now() - beganAt
    const { user, system } = process.cpuUsage(cpu)
    const statements = database.statementCount() - before
    await access.close()
    if (!counts) return
    into.ms.push(ms / keys.length)
    into.cpuMicros.push((user + system) / keys.length)
    into.statements.push(statements / keys.length)
  }
  try {
    for (const [what, keys] of [
      ['stored keys', known],
      ['unknown keys', unknown],
    ] as const) {
      const arms = [
        arm('KEY_PEPPER', NO_OVERLAP),
        arm('and KEY_PEPPER_NEXT', { next: OTHER, previous: null }),
        arm('and KEY_PEPPER_PREVIOUS', { next: null, previous: OTHER }),
      ]
      for (let round = -2; round < rounds; round++)
        for (const one of round % 2 === 0 ? arms : [...arms].reverse()) await measure(one, keys, round >= 0)
      const middle = (figures: readonly number[]) => quantile(figures, 0.5)
      const [first] = arms
      const rows = arms.map(({ name, ms, cpuMicros, statements }) => [
        name,
        fixed(Math.max(...statements), 2),
        fixed(middle(ms), 3),
        fixed(middle(cpuMicros)),
        fixed(middle(ms) / middle(first?.ms ?? []), 2),
        fixed(middle(cpuMicros) / middle(first?.cpuMicros ?? []), 2),
      ])
      const heads = ['statements', 'ms', 'CPU µs', 'ms ratio', 'CPU ratio']
      const title = `first look-up of ${what}, PostgreSQL ${world.serverVersion}, Node ${process.version}`
      process.stdout.write(`${tableText(title, heads, rows)}\n`)
    }
  } finally {
    await database.close()
  }
} finally {
  await world.drop()
}
