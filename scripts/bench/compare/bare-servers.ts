import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { BareAnswer } from '../contenders/bare.js'
import type { Case } from '../shared/cases/cases.js'
import { serverOf } from '../shared/contenders.js'
import type { ServerProcess } from '../shared/server-process.js'
import { startBare } from '../shared/servers.js'
import type { Bench } from './bench.js'
import { barePath } from './loads.js'
import type { Answer } from './request.js'

/** Node.js sets these on every response itself. */
const SET_BY_NODE: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])

/** Bare servers that return the exact bytes of the gateway, by server name: one for each Node.js. */
export async function startBareServers(
  { build, options, cores, cleanup }: Bench,
  asked: Case,
  expected: readonly Answer[],
): Promise<ReadonlyMap<string, ServerProcess>> {
  const file = join(build.directory, 'answers.json')
  writeFileSync(file, JSON.stringify(asked.paths.flatMap((path, place) => answersTo(path, expected[place]))))
  const started = new Map<string, ServerProcess>()
  for (const node of options.nodes) {
    const bare = await startBare(build, node, file, cores?.servers ?? null)
    cleanup.add(() => bare.stop())
    started.set(serverOf('bare', null, node).name, bare)
  }
  return started
}

function answersTo(path: string, answer: Answer | undefined): readonly BareAnswer[] {
  if (answer === undefined) throw new Error(`the gateway was not asked for ${path}`)
  const { headers, body } = answer
  const length = { 'content-length': String(body.length) }
  const plain = { 'content-type': headers['content-type'] ?? '', ...length }
  const bytes = body.toString('base64')
  return [
    { path: barePath('bare', path), status: 200, headers: plain, body: bytes },
    {
      path: barePath('bare-headers', path),
      status: 200,
      headers: { ...own(headers), ...length },
      body: bytes,
    },
    { path: barePath('bare-304', path), status: 304, headers: {}, body: '' },
  ]
}

function own(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => !SET_BY_NODE.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}
