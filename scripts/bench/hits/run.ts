// Measures how many questions are answered from the cache, or by a 304, while candles are committed: with a data version for
// each asset and its closed months, and with whole datasets only. 100,000 questions by Zipf's law over 1,000 assets at a
// played 100 a second, on the embedded database; every second question carries the last entity tag of its answer.
// npm run -s bench -- hits [--questions 100000]
import { parseArgs } from 'node:util'
import type { Clock } from '../../../src/core/time.js'
import type { Database } from '../../../src/platform/database/database.js'
import { GrainMap, MAX_GRAINS } from '../../../src/platform/database/versions/grain-map.js'
import { fixed, MEBIBYTE, quantile, tableText } from '../shared/figures.js'
import { ASSETS, BEGIN, commitCandle, createMarket } from './market.js'
import { createNode, type Node } from './node.js'
import { createQuestions } from './questions.js'

const QUESTIONS_PER_SECOND = 100

const RATES = [
  { name: 'a minute', everyMs: 60_000 },
  { name: '6 seconds', everyMs: 6_000 },
  { name: 'a second', everyMs: 1_000 },
] as const

const WARM_PATHS = 50
const WARM_ROUNDS = 200

/** A clock that moves only when the next question is asked. */
class PlayedClock implements Clock {
  ms = BEGIN.getTime()
  now(): Date {
    return new Date(this.ms)
  }
}

interface Arm {
  readonly node: Node
  readonly tags: Map<string, string>
  readonly counts: { asked: number; cached: number; tagged: number; confirmed: number }
}

function createArm(database: Database, clock: Clock, hasGrains: boolean): Arm {
  const counts = { asked: 0, cached: 0, tagged: 0, confirmed: 0 }
  return { node: createNode({ database, clock, hasGrains }), tags: new Map(), counts }
}

async function ask({ node, tags, counts }: Arm, path: string, isTagged: boolean): Promise<void> {
  const tag = isTagged ? (tags.get(path) ?? null) : null
  const { how, etag } = await node.ask(path, tag)
  tags.set(path, etag)
  if (tag === null) {
    counts.asked += 1
    if (how === 'cache') counts.cached += 1
  } else {
    counts.tagged += 1
    if (how === 'not modified') counts.confirmed += 1
  }
}

interface Played {
  readonly arms: readonly [whole: Arm, grained: Arm]
  readonly commits: number
}

/** Asks both nodes the same questions, while the assets get a candle in turn. */
async function play(
  database: Database,
  clock: PlayedClock,
  everyMs: number,
  questions: number,
): Promise<Played> {
  const arms = [createArm(database, clock, false), createArm(database, clock, true)] as const
  const nextQuestion = createQuestions(everyMs)
  let commits = 0
  let dueAt = clock.ms + everyMs
  for (let count = 0; count < questions; count++) {
    clock.ms += 1_000 / QUESTIONS_PER_SECOND
    for (; dueAt <= clock.ms; dueAt += everyMs) {
      await commitCandle(database, 1 + (commits % ASSETS), commits, clock.now())
      commits += 1
    }
    const path = nextQuestion()
    for (const arm of arms) await ask(arm, path, count % 2 === 1)
  }
  return { arms, commits }
}

function sharesOf(name: string, { arms, commits }: Played): readonly string[] {
  const shares = arms.flatMap(({ counts: { asked, cached, tagged, confirmed } }) => [
    percent(cached, asked),
    percent(confirmed, tagged),
    percent(cached + confirmed, asked + tagged),
  ])
  return [name, String(commits), ...shares]
}

function percent(part: number, whole: number): string {
  return fixed(whole === 0 ? null : (100 * part) / whole, 1)
}

/** The cost of a hit with grains over that without, in rounds of both. */
async function warmRatio({ arms }: Played, isTagged: boolean): Promise<readonly [string, string, string]> {
  const paths = [...arms[1].tags.keys()].slice(0, WARM_PATHS)
  const [whole, grained] = await Promise.all(arms.map(({ node }) => tagsNow(node, paths)))
  const sample = async ({ node }: Arm, tags: ReadonlyMap<string, string> | undefined): Promise<number> => {
    const startedAt = process.cpuUsage()
    for (const path of paths) await node.ask(path, isTagged ? (tags?.get(path) ?? null) : null)
    const { user, system } = process.cpuUsage(startedAt)
    return (user + system) / paths.length
  }
  const samples: [number[], number[]] = [[], []]
  for (let round = 0; round < WARM_ROUNDS; round++) {
    samples[0].push(await sample(arms[0], whole))
    samples[1].push(await sample(arms[1], grained))
  }
  const [before, after] = samples.map((times) => quantile(times, 0.5))
  return [fixed(before ?? null, 1), fixed(after ?? null, 1), fixed((after ?? 0) / (before ?? 1), 3)]
}

async function tagsNow(node: Node, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>()
  for (const path of paths) tags.set(path, (await node.ask(path, null)).etag)
  return tags
}

/** Bytes of a full map of grains. Garbage of the questions is collected first: it would be taken off. */
function mapBytes(): number {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const grains = Array.from({ length: MAX_GRAINS - 1 }, (_, at) => {
    const commitId = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    return [`asset-number-${at}.closed`, { version: at, commitId, observedMs: at, changedMs: at }] as const
  })
  const map = GrainMap.of({ version: 0, commitId: '', observedMs: 0, changedMs: 0 }, grains)
  globalThis.gc?.()
  const after = process.memoryUsage().heapUsed
  return map.size > 0 ? after - before : 0
}

const { values } = parseArgs({ options: { questions: { type: 'string' } } })
const questions = Number(values.questions ?? 100_000)
const database = await createMarket()
const clock = new PlayedClock()
const rows: (readonly string[])[] = []
let last: Played | null = null
let known = 0
try {
  for (const { name, everyMs } of RATES) {
    await Promise.all(last?.arms.map(({ node }) => node.close()) ?? [])
    clock.ms = Math.max(clock.ms, BEGIN.getTime())
    last = await play(database, clock, everyMs, questions)
    rows.push(sharesOf(`a commit every ${name}`, last))
    known = await last.arms[1].node.grains()
  }
  process.stdout.write(
    tableText(
      `${questions} questions, % answered from the cache, by a 304 (of those with a tag), and by either`,
      ['commits', 'whole: cache', '304', 'either', 'grains: cache', '304', 'either'],
      rows,
    ),
  )
  if (last !== null) {
    const hit = await warmRatio(last, false)
    const tagged = await warmRatio(last, true)
    process.stdout.write(
      tableText(
        'CPU µs of a warm answer, median',
        ['whole', 'grains', 'ratio'],
        [
          ['from the cache', ...hit],
          ['304', ...tagged],
        ],
      ),
    )
  }
  process.stdout.write(
    `\n${known} grains known; a full map of ${MAX_GRAINS} takes ${fixed(mapBytes() / MEBIBYTE, 1)} MiB\n`,
  )
  await Promise.all(last?.arms.map(({ node }) => node.close()) ?? [])
} finally {
  await database.close()
}
