import { CASES, type Case } from '../shared/cases/cases.js'
import type { Server } from '../shared/contenders.js'
import { pinDatabase } from '../shared/pinning.js'
import type { ServerProcess } from '../shared/server-process.js'
import { startContender } from '../shared/servers.js'
import type { Bench } from './bench.js'
import { compareProcesses } from './processes.js'
import { type CaseReport, caseText, failedCase } from './report.js'
import { contendersOfCase, referenceOf, runCase } from './run-case.js'

/** Measures all requested cases and prints the table of each. */
export async function runCases(
  bench: Bench,
): Promise<{ readonly placement: string; readonly cases: readonly CaseReport[] }> {
  const { options, own, cores, cleanup } = bench
  const cases = CASES.filter(({ name }) => options.cases.includes(name))
  const pinned = cores && pinDatabase(own.world.backendPid, cores.load)
  cleanup.add(() => pinned?.restore())
  const placement = placementText(bench, pinned?.isPinned ?? false)
  bench.say(placement)
  const reports: CaseReport[] = []
  const shared = new Map<string, ServerProcess>()
  const run = (asked: Case) => (options.compareOnly ? runOn(bench, asked, shared) : runAlone(bench, asked))
  for (const asked of cases) reports.push(await report(bench, asked.name, () => run(asked)))
  pinned?.restore()
  if (options.processes.length > 1) {
    bench.say('comparing processes: nothing is pinned')
    for (const asked of cases) {
      const name = `${asked.name}, processes`
      reports.push(await report(bench, name, () => compareProcesses(bench, name, asked)))
    }
  }
  return { placement, cases: reports }
}

/** Reports the reason when a case fails, and continues with the next one. */
async function report(bench: Bench, name: string, run: () => Promise<CaseReport>): Promise<CaseReport> {
  const found = await run().catch((error: unknown) => {
    bench.signal.throwIfAborted()
    return failedCase(name, error)
  })
  process.stdout.write(caseText(found))
  return found
}

/** Starts new servers for each case, so that no case affects the memory and connections of the next. */
async function runAlone(bench: Bench, benchCase: Case): Promise<CaseReport> {
  const started = new Map<string, ServerProcess>()
  try {
    return await runOn(bench, benchCase, started)
  } finally {
    for (const server of started.values()) await server.stop()
  }
}

/** Starts the servers of a case that are not started yet. */
async function runOn(
  bench: Bench,
  benchCase: Case,
  started: Map<string, ServerProcess>,
): Promise<CaseReport> {
  try {
    const servers = contendersOfCase(bench, benchCase).map(({ server }) => server)
    await startServers(bench, [referenceOf(bench), ...servers], started)
    return await runCase(bench, benchCase, started)
  } catch (error) {
    throw withEnds(error, started)
  }
}

/** Adds to an error how servers have ended, because the error may only say that a connection was refused. */
function withEnds(error: unknown, started: ReadonlyMap<string, ServerProcess>): unknown {
  const ends = [...started].flatMap(([name, server]) => {
    const end = server.ended()
    return end === null ? [] : [`${name} ${end}`]
  })
  return ends.length === 0 ? error : new Error(`${String(error)}; ${ends.join('; ')}`, { cause: error })
}

async function startServers(
  { installation, cores, cleanup }: Bench,
  servers: readonly Server[],
  started: Map<string, ServerProcess>,
): Promise<void> {
  for (const server of servers) {
    if (server.kind === 'bare' || started.has(server.name)) continue // bare needs the answers first
    const placement = { workers: 1, core: cores?.servers ?? null }
    const process = await startContender(server, installation, placement)
    cleanup.add(() => process.stop())
    started.set(server.name, process)
  }
}

function placementText({ cores }: Bench, isDatabasePinned: boolean): string {
  if (cores === null) return 'nothing is pinned: only measurements are, with two cores and taskset'
  const database = isDatabasePinned ? 'PostgreSQL too' : 'PostgreSQL anywhere, as it may not be moved'
  return `servers on core ${cores.servers}, load on core ${cores.load}, ${database}`
}
