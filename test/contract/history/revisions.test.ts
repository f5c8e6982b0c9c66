import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { loadDatasetState } from '../../../src/platform/database/versions/dataset-states-store.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { availableDatabases, availableRedis, openTestDatabase } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'
import { goneBack, hammer, type Seen } from '../../support/database/revision-readers.js'

const RUN_MS = 6_000
/** A busy machine takes longer to give as many answers. */
const MAX_RUN_MS = 60_000
const MIN_ANSWERS = 500
const COMMIT_EVERY_MS = 150
const POLL_EVERY_MS = 25
const CLIENTS_PER_NODE = 4
/** A commit must be visible on every node within a second. */
const VISIBLE_WITHIN_MS = 1_000

/** The system's clock, as two processes have it. */
class SystemClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

/** A commit that is through. */
interface Commit {
  readonly revision: number
  readonly version: number
  readonly at: number
}

/** Commits a revision every 150 ms. */
async function commitUntil(
  database: Database,
  first: number,
  isOver: () => boolean,
): Promise<readonly Commit[]> {
  const commits: Commit[] = []
  for (let revision = first; !isOver(); revision++) {
    const startedAt = performance.now()
    await reviseRates(database, revision, new Date())
    const at = performance.now()
    commits.push({ revision, version: (await loadDatasetState(database, 'forex'))?.version ?? 0, at })
    await sleep(Math.max(0, COMMIT_EVERY_MS - (performance.now() - startedAt)))
  }
  return commits
}

/** Ids of the requests that a node answered from its cache. */
function keptIds(app: TestApp): ReadonlySet<string> {
  const lines = app.logLines.filter((line) => line.includes('"cache_hit":true'))
  return new Set(lines.map((line) => (JSON.parse(line) as { readonly request_id: string }).request_id))
}

/** How long each commit took to show in an answer of the node: that one or a later one. */
function delaysOf(commits: readonly Commit[], answers: readonly Seen[]): readonly number[] {
  return commits.flatMap(({ revision, at }) => {
    const first = answers.find(
      (answer) => answer.answeredAt >= at && Math.max(...answer.revisions) >= revision,
    )
    return first ? [first.answeredAt - at] : []
  })
}

/** Figures of a run, for its log. */
function tell(text: string): void {
  process.stdout.write(`${text}\n`)
}

const STORES = [
  ['each for itself', null],
  ['sharing answers by Redis', availableRedis()],
] as const

const is304 = ({ status }: Seen) => status === 304

describe
  .skipIf(!availableDatabases().includes('postgres'))
  .each(STORES.filter(([name, url]) => name === 'each for itself' || url !== null))(
  'two nodes that are read while revisions land, %s',
  (name, redisUrl) => {
    let writer: Database
    const databases: Database[] = []
    const nodes: TestApp[] = []
    let key: string
    let commits: readonly Commit[]
    let seen: readonly Seen[]
    let kept: ReadonlySet<string>

    beforeAll(async () => {
      writer = await openTestDatabase('postgres', 'seeded')
      const [row] = await writer.rows<{ name: string }>('select current_database() as name')
      const url = Object.assign(new URL(inject('postgresUrl') ?? ''), { pathname: `/${row?.name}` }).href
      const env = { BURST_PER_MINUTE: '1000000', ...(redisUrl && { REDIS_URL: redisUrl }) }
      for (let node = 0; node < 2; node++) {
        const database = await openDatabase({ kind: 'postgres', url, poolSize: 4 })
        databases.push(database)
        nodes.push(await startTestApp('postgres', { database, env, clock: new SystemClock(new Date()) }))
      }
      const [first] = nodes
      if (first === undefined) throw new Error('there are two nodes')
      const account = await createAccountWithKey(first.access, { tier: 'enterprise', label: 'reader' })
      await setContract(first.access, account.account_id, { hour: 1_000_000, month: 10_000_000 })
      key = account.raw_key
      await reviseRates(writer, 1, new Date())
      // From now on the nodes know of it.
      await sleep(VISIBLE_WITHIN_MS)
      const startedAt = performance.now()
      let confirmed = 0
      let answered = 0
      const isEnough = () => answered > MIN_ANSWERS && confirmed > 0
      const isOver = () => {
        const ms = performance.now() - startedAt
        return ms > MAX_RUN_MS || (ms > RUN_MS && isEnough())
      }
      let endsAt = Number.POSITIVE_INFINITY
      const run = {
        isOver: () => performance.now() > endsAt,
        note: (answer: Seen) => {
          answered += 1
          if (is304(answer)) confirmed += 1
        },
      }
      const committing = commitUntil(writer, 2, isOver).finally(() => {
        endsAt = performance.now() + VISIBLE_WITHIN_MS
      })
      const clients = nodes.flatMap((app, node) => [
        ...Array.from({ length: CLIENTS_PER_NODE }, (_, index) =>
          hammer(app, { node, client: `${node}.${index}`, key, pauseMs: 0 }, index % 2 === 1, run),
        ),
        hammer(app, { node, client: `${node}.poll`, key, pauseMs: POLL_EVERY_MS }, false, run),
      ])
      const [committed, ...answers] = await Promise.all([committing, ...clients])
      commits = committed
      seen = answers.flat().sort((a, b) => a.answeredAt - b.answeredAt)
      kept = new Set(nodes.flatMap((app) => [...keptIds(app)]))
    })
    afterAll(async () => {
      await Promise.all(nodes.map((app) => app.close()))
      await Promise.all(databases.map((database) => database.close()))
      await writer?.close()
    })

    const isKept = ({ requestId, status }: Seen) => status === 200 && kept.has(requestId)

    it('answer every request, many from their caches, over many revisions', () => {
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 304]))
      const fromCache = seen.filter(isKept).length
      const confirmed = seen.filter(is304).length
      tell(
        `${name}: ${seen.length} answers over ${commits.length} commits, ${fromCache} from the cache, ${confirmed} as 304`,
      )
      expect(commits.length).toBeGreaterThan(RUN_MS / COMMIT_EVERY_MS / 4)
      expect(fromCache).toBeGreaterThan(seen.length / 10)
      expect(confirmed).toBeGreaterThan(0)
      expect(seen.length).toBeGreaterThan(MIN_ANSWERS)
    })

    it('never show part of a revision', () => {
      expect(seen.filter(({ revisions }) => revisions.length !== 1)).toEqual([])
    })

    it('show no revision older than the version in their headers, and cached answers exactly that one', () => {
      const revisionBy = new Map(commits.map(({ revision, version }) => [version, revision]))
      const wrong = seen.filter((answer) => {
        if (is304(answer)) return false
        const named = revisionBy.get(answer.version ?? -1) ?? 1
        const [shown = -1] = answer.revisions
        return answer.version === null || shown < named || (isKept(answer) && shown !== named)
      })
      expect(wrong).toEqual([])
    })

    it('give a client no older revision than before', () => {
      expect(goneBack(seen)).toEqual([])
    })

    it('show a commit within a second, on every node', () => {
      const late = seen.filter(({ askedAt, revisions: [shown = -1] }) =>
        commits.some(({ revision, at }) => revision > shown && askedAt - at > VISIBLE_WITHIN_MS),
      )
      expect(late).toEqual([])
      // How long it took includes how long the machine took to ask and to answer, so it is reported and not judged.
      for (const node of nodes.keys()) {
        const delays = delaysOf(
          commits,
          seen.filter((answer) => answer.node === node),
        )
        expect(delays).toHaveLength(commits.length)
        const worst = Math.max(...delays)
        const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length
        tell(
          `${name}: node ${node} showed a commit after ${Math.round(mean)} ms, at worst ${Math.round(worst)} ms`,
        )
      }
    })
  },
)
