import { type Case, requestOf } from '../shared/cases/cases.js'
import { DIFFERENCES } from '../shared/cases/translations.js'
import {
  type Contender,
  contenderName,
  contendersOf,
  isConditional,
  reasonToLeaveOut,
  type Server,
  serverOf,
} from '../shared/contenders.js'
import { cpuMicroseconds } from '../shared/cpu.js'
import { OWN_NODE } from '../shared/nodes.js'
import type { ServerProcess } from '../shared/server-process.js'
import { startBareServers } from './bare-servers.js'
import type { Bench } from './bench.js'
import { apiLoad, loadOf, statusOf } from './loads.js'
import { type MeasuredSubject, type Measurement, measure, type Subject } from './measure.js'
import { type CaseReport, caseReport } from './report.js'
import { type Answer, askAll } from './request.js'
import { statementsPerRequest } from './statements.js'
import { assertSameAnswers } from './verify.js'

/** Keyed by the name of the server. */
export type Servers = ReadonlyMap<string, ServerProcess>

type Answers = readonly [Answer, ...Answer[]]

const NO_ETAG = 'the gateway gives no ETag here: 304 is left out'

const ALIKE = 'all contenders answer alike; nothing was measured'

/** The server whose responses all others must match. */
export function referenceOf({ own }: Bench): Server {
  return serverOf('gateway-cold', own, OWN_NODE)
}

/** Checks that all contenders of a case respond alike, counts their statements and measures them. */
export async function runCase(bench: Bench, asked: Case, servers: Servers): Promise<CaseReport> {
  const expected = await askServer(bench, asked, servers, referenceOf(bench))
  const hasETag = expected[0].headers.etag !== undefined
  const contenders = contendersOfCase(bench, asked).filter(({ kind }) => hasETag || !isConditional(kind))
  const statements = new Map<string, number>()
  const counted = new Map<string, number>()
  for (const { kind, server } of contenders) {
    // Variants of a server (304, Brotli) are checked and counted with the server itself.
    if (server.kind === 'bare' || server.kind !== kind) continue
    await refuseWrong(bench, asked, servers, { server, expected })
    if (bench.options.compareOnly) continue
    // Statements do not depend on the version of Node.js.
    const plainName = contenderName(kind, server.gateway?.label ?? null, null)
    const count = counted.get(plainName) ?? (await countOf(bench, asked, server))
    counted.set(plainName, count)
    statements.set(server.name, count)
  }
  if (bench.options.compareOnly)
    return caseReport(asked.name, [], { contenders: [], statementsOf: () => null, notes: [ALIKE] })
  const bare = await startBareServers(bench, asked, expected)
  try {
    const all = new Map([...servers, ...bare])
    const subjects = contenders.map((contender) => subjectOf(bench, asked, all, contender))
    const measured = await measureAll(bench, asked.name, asked, subjects, bench.cores?.load ?? null)
    return caseReport(asked.name, measured, {
      contenders,
      statementsOf: (name) => statements.get(name) ?? null,
      notes: [
        ...(contenders.some(({ kind }) => kind === 'postgraphile') ? [DIFFERENCES] : []),
        ...leftOut(bench, asked),
        ...(asked.contenders.some(isConditional) && !hasETag ? [NO_ETAG] : []),
      ],
    })
  } finally {
    for (const process of bare.values()) await process.stop()
  }
}

/** The requested contenders that support the case. */
export function contendersOfCase({ options, own, others }: Bench, asked: Case): readonly Contender[] {
  const kinds = options.contenders.filter((kind) => asked.contenders.includes(kind))
  return contendersOf(kinds, [own, ...others], options.nodes)
}

function leftOut({ options }: Bench, asked: Case): readonly string[] {
  const kinds = options.contenders.filter((kind) => asked.contenders.includes(kind))
  const reasons = options.nodes.flatMap((node) => kinds.map((kind) => reasonToLeaveOut(kind, node)))
  return reasons.filter((reason) => reason !== null)
}

/** Measures with the options of the run and reports each measurement. */
export function measureAll(
  { options, build, signal, say }: Bench,
  caseName: string,
  { maxConnections }: Case,
  subjects: readonly Subject[],
  core: number | null,
): Promise<readonly MeasuredSubject[]> {
  const { rounds, seconds, warmUpSeconds } = options
  const connections = Math.min(options.connections, maxConnections ?? options.connections)
  const onMeasurement = (name: string, measurement: Measurement) =>
    say(`${caseName}: ${progressText(name, measurement)}`)
  const { directory } = build
  const given = { rounds, seconds, warmUpSeconds, connections, core, directory, signal, onMeasurement }
  return measure(subjects, given)
}

function progressText(name: string, { round, ...of }: Measurement): string {
  const cpu = of.cpuMicrosecondsPerRequest?.toFixed(0) ?? '-'
  const rate = of.requestsPerSecond.toFixed(0)
  return `round ${round + 1}, ${name}: ${rate} req/s, ${cpu} us, load ${of.loadAverage.toFixed(1)}`
}

/** A gateway of another build reads another database and may have another contract, so only its status is checked. */
async function refuseWrong(
  bench: Bench,
  asked: Case,
  servers: Servers,
  { server, expected }: { readonly server: Server; readonly expected: Answers },
): Promise<void> {
  const request = requestOf(asked, server.kind)
  const answers = await askServer(bench, request, servers, server)
  const translation = server.kind === 'postgraphile' ? asked.translation : null
  if (bench.others.some(({ label }) => label === server.gateway?.label)) return
  const wanted =
    request.twin === asked.twin ? expected : await askServer(bench, request, servers, referenceOf(bench))
  for (const [place, { body }] of wanted.entries()) {
    assertSameAnswers(server.name, body, answers[place]?.body ?? Buffer.from('null'), translation)
  }
}

function countOf(bench: Bench, asked: Case, server: Server): Promise<number> {
  return statementsPerRequest(server, requestOf(asked, server.kind), bench.installation, keyOf(bench, server))
}

function keyOf({ own }: Bench, { gateway }: Server): string {
  return (gateway ?? own).world.apiKey
}

function processOf(servers: Servers, { name }: Server): ServerProcess {
  const process = servers.get(name)
  if (process === undefined) throw new Error(`${name} was not started`)
  return process
}

function askServer(bench: Bench, asked: Case, servers: Servers, server: Server): Promise<Answers> {
  return askAll(200, apiLoad(asked, processOf(servers, server).port, keyOf(bench, server)))
}

function subjectOf(bench: Bench, asked: Case, servers: Servers, contender: Contender): Subject {
  const { name, kind, server } = contender
  const { port, pid } = processOf(servers, server)
  const request = requestOf(asked, server.kind)
  return {
    name,
    status: statusOf(kind),
    load: () => loadOf(contender, request, port, keyOf(bench, server)),
    cpuMicroseconds: () => cpuMicroseconds(pid),
  }
}
