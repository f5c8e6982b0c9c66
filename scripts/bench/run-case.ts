import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.js'
import { type Case, requestOf } from './cases.js'
import type { BareAnswer } from './contenders/bare.js'
import { type ContenderName, isConditional, type ServerName, serverOf } from './contenders.js'
import { apiLoad, barePath, loadOf, statusOf } from './loads.js'
import { type Entrant, type Measured, measure, type Visit } from './measure.js'
import { type CaseReport, caseReport } from './report.js'
import { type Answer, askFor } from './request.js'
import type { ServerProcess } from './server-process.js'
import { startBare } from './servers.js'
import { statementsPerRequest } from './statements.js'
import { refuseDifferent } from './verify.js'

type Servers = ReadonlyMap<ServerName, ServerProcess>

const NO_ETAG = 'the gateway gives no ETag here: 304 is left out'

/** Checks that all contenders of a case answer alike, counts their statements and measures them. */
export async function runCase(bench: Bench, asked: Case, servers: Servers): Promise<CaseReport> {
  const expected = await askServer(bench, asked, servers, 'gateway-cold')
  const hasETag = await givesETag(bench, asked, servers)
  const contenders = bench.options.contenders.filter(
    (name) => asked.servers.includes(serverOf(name)) && (hasETag || !isConditional(name)),
  )
  const statements = new Map<ContenderName, number>()
  for (const name of contenders) {
    const server = serverOf(name)
    if (server === 'bare' || isConditional(name)) continue
    const request = requestOf(asked, server)
    const wanted = request === asked ? expected : await askServer(bench, request, servers, 'gateway-cold')
    refuseDifferent(name, wanted.body, (await askServer(bench, request, servers, server)).body)
    statements.set(name, await statementsPerRequest(server, request, bench.installation, bench.world.apiKey))
  }
  const bare = await startBareWith(bench, asked, expected)
  try {
    const entrants = contenders.map((name) =>
      entrantOf(bench, asked, new Map([...servers, ['bare', bare]]), name),
    )
    return caseReport(
      asked.name,
      await measureAll(bench, asked.name, asked, entrants, bench.cores?.load ?? null),
      {
        statementsOf: (name) => statements.get(name as ContenderName) ?? null, // entrants have contenders' names
        notes: asked.isRest && !hasETag ? [NO_ETAG] : [],
        pairs: [],
      },
    )
  } finally {
    await bare.stop()
  }
}

/** Measures with the options of the run, telling of each visit. */
export function measureAll(
  { options, build, signal, say }: Bench,
  caseName: string,
  { maxConnections }: Case,
  entrants: readonly Entrant[],
  core: number | null,
): Promise<readonly Measured[]> {
  const { rounds, seconds } = options
  const connections = Math.min(options.connections, maxConnections ?? options.connections)
  const onVisit = (name: string, { round, requestsPerSecond, loadAverage }: Visit) =>
    say(
      `${caseName}: round ${round + 1}, ${name}: ${requestsPerSecond.toFixed(0)} req/s, load ${loadAverage.toFixed(1)}`,
    )
  const { directory } = build
  return measure(entrants, { rounds, seconds, connections, core, directory, signal, onVisit })
}

function portOf(servers: Servers, server: ServerName): number {
  const process = servers.get(server)
  if (process === undefined) throw new Error(`${server} was not started`)
  return process.port
}

function askServer(bench: Bench, asked: Case, servers: Servers, server: ServerName): Promise<Answer> {
  return askFor(200, apiLoad(asked, portOf(servers, server), bench.world.apiKey))
}

async function givesETag(bench: Bench, asked: Case, servers: Servers): Promise<boolean> {
  if (!asked.isRest || !servers.has('gateway')) return false
  return (await askServer(bench, asked, servers, 'gateway')).headers.etag !== undefined
}

function entrantOf(bench: Bench, asked: Case, servers: Servers, name: ContenderName): Entrant {
  const server = serverOf(name)
  const port = portOf(servers, server)
  return {
    name,
    status: statusOf(name),
    load: () => loadOf(name, requestOf(asked, server), port, bench.world.apiKey),
  }
}

/** The bare server with the very bytes that the gateway gave, and with a 304. */
async function startBareWith(bench: Bench, asked: Case, expected: Answer): Promise<ServerProcess> {
  const answers: readonly BareAnswer[] = [
    {
      path: barePath(asked, 200),
      status: 200,
      headers: {
        'content-type': expected.headers['content-type'] ?? '',
        'content-length': String(expected.body.length),
      },
      body: expected.body.toString('base64'),
    },
    { path: barePath(asked, 304), status: 304, headers: {}, body: '' },
  ]
  const file = join(bench.build.directory, 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  const bare = await startBare(bench.build, file, bench.cores?.servers ?? null)
  bench.cleanup.add(() => bare.stop())
  return bare
}
