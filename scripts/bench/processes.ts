import type { Bench } from './bench.js'
import type { Case } from './cases.js'
import { apiLoad } from './loads.js'
import type { Entrant } from './measure.js'
import { type CaseReport, caseReport } from './report.js'
import { measureAll } from './run-case.js'
import type { ServerProcess } from './server-process.js'
import { startContender } from './servers.js'

const GATEWAYS = ['gateway-cold', 'gateway'] as const

/** The same gateways with different numbers of processes, all of which may run on any core. */
export async function compareProcesses(bench: Bench, name: string, asked: Case): Promise<CaseReport> {
  const gateways = GATEWAYS.filter((gateway) => bench.options.contenders.includes(gateway))
  const { processes } = bench.options
  const started: ServerProcess[] = []
  const entrants: Entrant[] = []
  try {
    for (const gateway of gateways) {
      for (const workers of processes) {
        const server = await startContender(gateway, bench.installation, { workers, core: null })
        started.push(server)
        bench.cleanup.add(() => server.stop())
        const load = apiLoad(asked, server.port, bench.world.apiKey)
        entrants.push({ name: nameOf(gateway, workers), status: 200, load: async () => load })
      }
    }
    const [fewest = 1, ...more] = [...processes].sort((a, b) => a - b)
    return caseReport(name, await measureAll(bench, name, asked, entrants, null), {
      statementsOf: () => null,
      notes: [],
      pairs: gateways.flatMap((gateway) =>
        more.map((workers) => [nameOf(gateway, workers), nameOf(gateway, fewest)] as const),
      ),
    })
  } finally {
    for (const server of started) await server.stop()
  }
}

function nameOf(gateway: string, workers: number): string {
  return `${gateway} x${workers}`
}
