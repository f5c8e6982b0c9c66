import type { OpenApi } from '../fuzz/openapi.js'
import { type Received, send } from '../fuzz/send.js'
import type { TestApp } from '../support/app/app.js'
import { createCallers, PASSWORD, type Twins, withOwn, withoutOwn } from './callers.js'
import { type Case, casesOf, type Known } from './cases.js'
import { differenceOf, warmDiffers } from './compare.js'
import { graphqlRequest, type ParityRoute, parityRoutes, restRequest } from './routes.js'

export interface ParityOptions {
  /** Questions to each route. */
  readonly questions: number
  readonly seed: number
  /** Names of operations; empty: all. */
  readonly routes: readonly string[]
  /** Called with each route that is done. */
  readonly onRow: (row: ParityRow) => void
}

/** What came out for one route. */
export interface ParityRow {
  readonly route: string
  /** Questions asked in both styles. */
  readonly questions: number
  /** Pairs of answers that were compared. */
  readonly cells: number
  readonly statuses: ReadonlyMap<number, number>
  readonly mismatches: readonly string[]
}

/** Routes asked at a time: what one waits for the other uses. */
const AT_ONCE = 2

/** Asks each route of the gateway and its operation the same questions. */
export async function runParity(app: TestApp, options: ParityOptions): Promise<readonly ParityRow[]> {
  const { body } = await app.rest<OpenApi>('/openapi-full.json')
  const all = parityRoutes(body)
  const unknown = options.routes.filter((name) => all.every((route) => route.name !== name))
  if (unknown.length > 0) throw new Error(`no route has the operation ${unknown.join(', ')}`)
  const routes = all.filter(({ name }) => options.routes.length === 0 || options.routes.includes(name))
  const known = await knownValues(app)
  const rows: ParityRow[] = []
  const waiting = [...routes]
  const noted = (row: ParityRow) => {
    options.onRow(row)
    return row
  }
  const work = async () => {
    const twinsOf = createCallers(app)
    for (let route = waiting.shift(); route !== undefined; route = waiting.shift())
      rows.push(noted(await askRoute(app, route, { known, twinsOf, options })))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return rows
}

/** What the seeded world has, and what each asker has of its own. */
async function knownValues({ database }: TestApp): Promise<Known> {
  const names = async (sql: string) => (await database.rows<{ name: string }>(sql)).map((row) => row.name)
  const snapshots = await names(
    'select snapshot_id::text as name from analysis_snapshot order by generated_at desc, snapshot_id limit 20',
  )
  return {
    id: ['bitcoin', 'ethereum', 'apple', 'gold', 'BTC', 'BITCOIN'],
    snapshot_id: snapshots,
    from_snapshot: snapshots,
    to_snapshot: snapshots,
    webhook_id: ['@webhook_id@', '@webhook_id@', '00000000-0000-4000-8000-000000000001'],
    key_id: ['@key_id@', '@key_id@', '00000000-0000-4000-8000-000000000001'],
    email: ['@email@', '@fresh_email@', '@fresh_email@'],
    password: [PASSWORD],
    'forex_convert.from': ['USD', 'GBP', 'EUR'],
    'forex_convert.to': ['JPY', 'CHF', 'EUR'],
    'forex_convert.amount': ['1', '1250.50'],
  }
}

/** What all routes of one worker are asked with. */
interface Asking {
  readonly known: Known
  readonly twinsOf: ReturnType<typeof createCallers>
  readonly options: ParityOptions
}

async function askRoute(
  app: TestApp,
  route: ParityRoute,
  { known, twinsOf, options: { questions, seed } }: Asking,
): Promise<ParityRow> {
  const statuses = new Map<number, number>()
  const mismatches: string[] = []
  let cells = 0
  const cases = casesOf(route, known, questions, seed)
  for (const [at, question] of cases.entries()) {
    const twins = await twinsOf(route, question.caller)
    const ask = () => askTwins(app.url, route, question, twins, `parity-${route.name}-${at}`.slice(0, 64))
    const cold = await ask()
    const warm = question.isRepeated ? await ask() : null
    statuses.set(cold.rest.status, (statuses.get(cold.rest.status) ?? 0) + 1)
    cells += warm === null ? 1 : 2
    // What has changed is no longer the same for both, so the next question has other twins.
    if (route.mayAskOthers || (route.isChange && cold.rest.status < 400)) twins.left = 0
    const difference =
      differenceOf(route, cold.rest, cold.graphql) ??
      (warm && (differenceOf(route, warm.rest, warm.graphql) ?? warmDiffers(route, cold.rest, warm.rest)))
    if (difference !== null) mismatches.push(`${JSON.stringify(question)}: ${difference}`)
  }
  return { route: route.name, questions: cases.length, cells, statuses, mismatches }
}

/** Asks in one style, then in the other, with the same request id. */
async function askTwins(
  url: string,
  route: ParityRoute,
  { given, isGraphqlFirst }: Case,
  { rest, graphql }: Twins,
  requestId: string,
): Promise<{ readonly rest: Received; readonly graphql: Received }> {
  const id = { 'x-request-id': requestId }
  const asRest = async () =>
    send(url, restRequest(route, withOwn(given, rest), { ...rest.headers, ...id })).then((received) => ({
      ...received,
      text: withoutOwn(received.text, rest),
    }))
  const asGraphql = async () =>
    send(url, graphqlRequest(route, withOwn(given, graphql), { ...graphql.headers, ...id })).then(
      (received) => ({ ...received, text: withoutOwn(received.text, graphql) }),
    )
  if (!isGraphqlFirst) return { rest: await asRest(), graphql: await asGraphql() }
  const first = await asGraphql()
  return { rest: await asRest(), graphql: first }
}
