import type { Bench } from './bench.js'
import { CASES, type Case } from './cases.js'
import { type ContenderName, type ServerName, serverOf } from './contenders.js'
import { pinDatabase } from './pinning.js'
import { compareProcesses } from './processes.js'
import { type CaseReport, caseText, failedCase } from './report.js'
import { runCase } from './run-case.js'
import type { ServerProcess } from './server-process.js'
import { startContender } from './servers.js'

/** Measures all cases asked for, printing each table as it is done. */
export async function runCases(
  bench: Bench,
): Promise<{ readonly placement: string; readonly cases: readonly CaseReport[] }> {
  const { options, world, cores, cleanup } = bench
  const cases = CASES.filter(({ name }) => options.cases.includes(name))
  const pinned = cores && pinDatabase(world.backendPid, cores.load)
  cleanup.add(() => pinned?.restore())
  const placement = placementText(bench, pinned?.isPinned ?? false)
  bench.say(placement)
  const servers = await startServers(bench, cases)
  const reports: CaseReport[] = []
  for (const asked of cases)
    reports.push(await report(bench, asked.name, () => runCase(bench, asked, servers)))
  for (const server of servers.values()) await server.stop()
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

/** A case that fails is reported with its reason, and the next one is run. */
async function report(bench: Bench, name: string, run: () => Promise<CaseReport>): Promise<CaseReport> {
  const found = await run().catch((error: unknown) => {
    bench.signal.throwIfAborted()
    return failedCase(name, error)
  })
  process.stdout.write(caseText(found))
  return found
}

/** The servers of the contenders asked for, and the gateway whose answers all must give. */
async function startServers(
  bench: Bench,
  cases: readonly Case[],
): Promise<ReadonlyMap<ServerName, ServerProcess>> {
  const asked = bench.options.contenders.map((name: ContenderName) => serverOf(name))
  const needed = cases.flatMap(({ servers }) => servers.filter((server) => asked.includes(server)))
  const started = new Map<ServerName, ServerProcess>()
  for (const server of new Set<ServerName>(['gateway-cold', ...needed])) {
    if (server === 'bare') continue // it needs the answers first
    const process = await startContender(server, bench.installation, {
      workers: 1,
      core: bench.cores?.servers ?? null,
    })
    bench.cleanup.add(() => process.stop())
    started.set(server, process)
  }
  return started
}

function placementText({ cores }: Bench, isDatabasePinned: boolean): string {
  if (cores === null) return 'nothing is pinned: that takes two cores and taskset'
  const database = isDatabasePinned ? 'PostgreSQL too' : 'PostgreSQL anywhere, as it may not be moved'
  return `servers on core ${cores.servers}, load on core ${cores.load}, ${database}`
}
