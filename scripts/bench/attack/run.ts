// Repeats known attacks against the gateway, so that versions can be compared. It uses a separate PostgreSQL database,
// listens on loopback only, and has limits of number and time.
// 1. Thousands of different documents without a key, up to 240 kB each, each sent several times: resident memory.
// 2. Allowed operations with up to 29 nested series of 1,000 candles over all crypto assets, one and four at once: resident
//    memory, bytes of the response, and the longest time of /healthz, which is how long the process was blocked.
// 3. 60 posts of 100 tool lists each to /mcp without a key, on connections whose responses are never read; and the same after
//    a byte order mark.
// 4. 250 introspections at once without a key, with one text and with different texts.
// 5. Ten subscriptions of one account that replay all changes with nested candles, on an embedded database.
// 6. 400 guesses of one account's password from 40 addresses, sent as registrations with its e-mail.
// 7. 24 of the largest JSON answers at once; 80 of the largest exports, read slowly; 16 requests for a large answer on each of
//    200 connections that read nothing.
// 8. 600 GraphQL bodies of 240 kB without a key: the processor time of the gateway too.
// npm run -s bench -- attack [--gateway CHECKOUT] [--node PATH]
//   [--only documents|wide|batches|introspections|replays|guesses|answers|exports|pipelines|bodies] [--documents 20000]
//   [--repeats 4] [--seconds 120] [--aliases 1,8,29] [--json FILE]
// --gateway measures the compiled gateway of another checkout. --seconds limits the first attack, each operation of the
// second, and the last. BENCH_DATABASE_URL is the PostgreSQL server.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Cleanup } from '../shared/cleanup.js'
import { fixed, MEBIBYTE, tableText } from '../shared/figures.js'
import type { Health } from '../shared/health-probe.js'
import { countOf } from '../shared/options.js'
import { prepareTarget, TARGET_FLAGS, type Target } from '../shared/target.js'
import { attackWithBodies } from './bodies.js'
import { attackWithGuesses } from './guesses.js'
import { attackWithIntrospections } from './introspections.js'
import { attackWithLargeAnswers, attackWithPipelines, attackWithSlowExports } from './large-answers.js'
import { attackWithDocuments, type ManyDocuments } from './many-documents.js'
import { attackWithReplays } from './replays.js'
import { attackWithUnreadBatches } from './unread-batches.js'
import type { WatchedRun } from './watch-process.js'
import { addHours, attackWithWideQuery, type WideResult } from './wide-query.js'

const AT_ONCE = 4

interface Options {
  readonly only: string | null
  readonly documents: number
  readonly repeats: number
  readonly seconds: number
  /** From the fewest to the most. */
  readonly aliases: readonly number[]
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { ...TARGET_FLAGS, only: text, documents: text, repeats: text, seconds: text, aliases: text },
  })
  const options: Options = {
    only: values.only ?? null,
    documents: countOf('--documents', values.documents ?? '20000'),
    repeats: countOf('--repeats', values.repeats ?? '4'),
    seconds: countOf('--seconds', values.seconds ?? '120'),
    aliases: (values.aliases ?? '1,8,29').split(',').map((count) => countOf('--aliases', count)),
  }
  const cleanup = new Cleanup()
  try {
    const target = await prepareTarget(values, cleanup)
    const isAsked = (name: string) => options.only === null || options.only === name
    const documents = isAsked('documents') ? await attackWithDocuments(target, options) : null
    if (documents !== null) process.stdout.write(documentsText(documents, options))
    const wide = isAsked('wide') ? await attackWide(target, options) : []
    if (wide.length > 0) process.stdout.write(wideText(wide))
    const others = await attackOtherwise(target, isAsked, options)
    if (others.length > 0) process.stdout.write(othersText(others))
    const report = {
      node: target.node.version,
      gateway: values.gateway ?? '.',
      options,
      documents,
      wide,
      others,
    }
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
  } finally {
    await cleanup.run()
  }
}

interface OtherAttack {
  readonly name: string
  readonly watched: WatchedRun<unknown>
}

async function attackOtherwise(
  target: Target,
  isAsked: (name: string) => boolean,
  { seconds }: Options,
): Promise<readonly OtherAttack[]> {
  const results: OtherAttack[] = []
  const run = async (name: string, attack: () => Promise<WatchedRun<unknown>>) => {
    process.stderr.write(`${name}\n`)
    results.push({ name, watched: await attack() })
  }
  if (isAsked('batches')) {
    for (const isMarked of [false, true]) {
      const name = `unread batches to /mcp${isMarked ? ' after a byte order mark' : ''}`
      await run(name, () => attackWithUnreadBatches(target, { isMarked }))
    }
  }
  if (isAsked('answers')) await run('large answers at once', () => attackWithLargeAnswers(target))
  if (isAsked('exports')) await run('exports read slowly', () => attackWithSlowExports(target))
  if (isAsked('pipelines')) await run('unread pipelines', () => attackWithPipelines(target))
  if (isAsked('bodies')) await run('large bodies without a key', () => attackWithBodies(target))
  if (isAsked('introspections')) {
    for (const areDifferent of [false, true]) {
      const name = `introspections by ${areDifferent ? 'different texts' : 'one text'}`
      await run(name, () => attackWithIntrospections(target, { areDifferent }))
    }
  }
  if (isAsked('replays')) await run('replays of ten subscriptions', () => attackWithReplays(target, seconds))
  if (isAsked('guesses')) await run('guesses by registration', () => attackWithGuesses(target))
  return results
}

/** Runs each number of aliases alone, then the largest requested and the largest answered number several times at once. */
async function attackWide(target: Target, { aliases, seconds }: Options): Promise<readonly WideResult[]> {
  await addHours(target)
  const results: WideResult[] = []
  const run = async (count: number, atOnce: number) => {
    process.stderr.write(`${count} series, ${atOnce} at once\n`)
    results.push(await attackWithWideQuery(target, { aliases: count, atOnce }, seconds * 1000))
  }
  for (const count of aliases) await run(count, 1)
  const answered = results.filter(({ answers }) => answers.every(isWhole)).map((result) => result.aliases)
  const most = Math.max(...aliases)
  for (const count of new Set([Math.max(0, ...answered), most])) if (count > 0) await run(count, AT_ONCE)
  return results
}

function isWhole({ outcome, text }: { readonly outcome: string; readonly text: string }): boolean {
  return outcome === '200' && !text.startsWith('{"errors"')
}

function longestMs(health: readonly Health[]): number | null {
  return health.find(({ path }) => path === '/healthz')?.times.max ?? null
}

function mebibytes(bytes: number | null): string {
  return bytes === null ? '-' : fixed(bytes / MEBIBYTE)
}

function documentsText(of: ManyDocuments, { documents, repeats }: Options): string {
  const outcomes = Object.entries(of.outcomes).map(([outcome, count]) => `${count} x ${outcome}`)
  const sent = `${of.documents} of ${documents} documents, ${repeats} times each, in ${fixed(of.seconds)} s`
  const table = tableText(
    'different documents without a key',
    ['MiB'],
    [
      ['sent', mebibytes(of.bytes)],
      ['RSS before', mebibytes(of.bytesBefore)],
      ['RSS at most', mebibytes(of.peakBytes)],
      ['RSS 5 s after', mebibytes(of.bytesAfter)],
    ],
  )
  const end = of.ended === null ? '' : `  the process ${of.ended.slice(0, 200)}\n`
  return `${table}  ${sent}: ${outcomes.join(', ')}\n  /healthz at most ${fixed(longestMs(of.health))} ms\n${end}`
}

function wideText(results: readonly WideResult[]): string {
  const rows = results.map((result) => [
    `${result.aliases} series, ${result.atOnce} at once`,
    [...new Set(result.answers.map(outcomeText))].join(' '),
    fixed(Math.max(...result.answers.map(({ ms }) => ms)) / 1000, 1),
    fixed(Math.max(...result.answers.map(({ bytes }) => bytes)) / MEBIBYTE, 1),
    mebibytes(result.bytesBefore),
    mebibytes(result.peakBytes),
    fixed(longestMs(result.health)),
    result.ended === null ? '' : 'process ended',
  ])
  const heads = ['answer', 'seconds', 'MiB', 'RSS before', 'RSS at most', '/healthz max ms', '']
  return tableText('nested series of 1,000 candles over all crypto assets, at most 100', heads, rows)
}

function othersText(attacks: readonly OtherAttack[]): string {
  const rows = attacks.map(({ name, watched: { bytesBefore, peakBytes, health, ended, result } }) => [
    name,
    mebibytes(bytesBefore),
    mebibytes(peakBytes),
    fixed(longestMs(health)),
    JSON.stringify(result),
    ended === null ? '' : 'process ended',
  ])
  return tableText('other attacks', ['RSS before', 'RSS at most', '/healthz max ms', 'result', ''], rows)
}

function outcomeText(answer: { readonly outcome: string; readonly text: string }): string {
  return answer.outcome === '200' && !isWhole(answer) ? '200 with errors' : answer.outcome
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
})
