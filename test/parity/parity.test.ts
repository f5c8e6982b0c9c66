import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { commitSeed } from '../support/commit-seed.js'
import { noteFigures } from '../support/figures.js'
import { type ParityRow, runParity } from './run.js'

/** Questions to each route; `npm run parity` asks 1,000. */
const QUESTIONS = Number(process.env.PARITY_REQUESTS ?? 12)

/** The same for one commit; the name of the test shows it. */
const SEED = Number(process.env.PARITY_SEED ?? commitSeed())

const ROUTES = (process.env.PARITY_ROUTES ?? '').split(',').filter((name) => name !== '')

describe(`one request in both styles (seed ${SEED})`, { timeout: 3_600_000 }, () => {
  let app: TestApp
  beforeAll(async () => {
    // Each caller comes from an address of its own: the guards of addresses have tests of their own.
    const env = { TRUST_PROXY: 'true', BURST_PER_MINUTE: '1000000000' }
    // The embedded database has no time-outs, which a busy machine would turn into a 503 in one of two answers.
    app = await startTestApp('pglite', { env })
  })
  afterAll(() => app?.close())

  it('has one answer: the same bytes, errors, price and scopes, for every kind of caller', async () => {
    process.stdout.write(lineOf(['operation', 'requests', 'cells', 'mismatches', 'statuses']))
    const rows = await runParity(app, { questions: QUESTIONS, seed: SEED, routes: ROUTES, onRow: show })
    process.stdout.write(totalOf(rows))
    // Three of a route say what is wrong; a report of thousands would say no more.
    const mismatches = rows.flatMap(({ route, mismatches }) =>
      mismatches.slice(0, 3).map((text) => `${route} ${text}`),
    )
    const total = (of: (row: ParityRow) => number) => rows.reduce((sum, row) => sum + of(row), 0)
    const done = {
      routes: rows.length,
      questions: total((row) => row.questions),
      cells: total((row) => row.cells),
    }
    noteFigures({ part: `parity (seed ${SEED})`, done, findings: mismatches })
    expect(mismatches).toEqual([])
    expect(rows.every(({ questions }) => questions === QUESTIONS)).toBe(true)
    const refused = rows.filter(({ statuses }) => [...statuses.keys()].every((status) => status >= 400))
    const names = refused.map(({ route }) => route).filter((name) => !UNANSWERED.includes(name))
    if (QUESTIONS >= 1_000) expect(names).toEqual([])
  })
})

/** Routes that answer nobody here: there is no mail server, and SQL logins need PostgreSQL. */
const UNANSWERED = ['newsletter_send', 'create_sql_credentials', 'revoke_sql_credentials']

/** One line of the table. */
function lineOf(cells: readonly unknown[]): string {
  const numbers = cells.slice(1, 4).map((cell) => String(cell).padStart(11))
  return `${String(cells[0]).padEnd(30)}${numbers.join('')}  ${cells[4] ?? ''}\n`
}

function show({ route, questions, cells, mismatches, statuses }: ParityRow): void {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}×${count}`)
  process.stdout.write(lineOf([route, questions, cells, mismatches.length, counts.join(' ')]))
}

function totalOf(rows: readonly ParityRow[]): string {
  const sum = (of: (row: ParityRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  const sums = [sum((row) => row.questions), sum((row) => row.cells), sum((row) => row.mismatches.length)]
  return lineOf([`${rows.length} routes`, ...sums, `seed ${SEED}`])
}
