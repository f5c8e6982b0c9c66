import type { Case } from '../shared/cases/cases.js'
import { serverOf } from '../shared/contenders.js'
import { cpuMicroseconds } from '../shared/cpu.js'
import { OWN_NODE } from '../shared/nodes.js'
import type { ServerProcess } from '../shared/server-process.js'
import { startContender } from '../shared/servers.js'
import type { Bench } from './bench.js'
import { apiLoad } from './loads.js'
import type { Subject } from './measure.js'
import { type CaseReport, caseReport } from './report.js'
import { measureAll } from './run-case.js'

const GATEWAYS = ['gateway-cold', 'gateway-warm'] as const

/** Gateways of this tree with different numbers of processes, which may run on any core. */
export async function compareProcesses(bench: Bench, name: string, asked: Case): Promise<CaseReport> {
  const kinds = GATEWAYS.filter((kind) => bench.options.contenders.includes(kind))
  const { processes } = bench.options
  const started: ServerProcess[] = []
  const subjects: Subject[] = []
  try {
    for (const kind of kinds) {
      for (const workers of processes) {
        const server = serverOf(kind, bench.own, OWN_NODE)
        const process = await startContender(server, bench.installation, { workers, core: null })
        started.push(process)
        bench.cleanup.add(() => process.stop())
        const load = apiLoad(asked, process.port, bench.own.world.apiKey)
        subjects.push({
          name: nameOf(kind, workers),
          status: 200,
          load: async () => load,
          cpuMicroseconds: () => cpuMicroseconds(process.pid),
        })
      }
    }
    const [fewest = 1, ...more] = [...processes].sort((a, b) => a - b)
    return caseReport(name, await measureAll(bench, name, asked, subjects, null), {
      contenders: [],
      statementsOf: () => null,
      notes: [],
      pairs: kinds.flatMap((kind) =>
        more.map((workers) => [nameOf(kind, workers), nameOf(kind, fewest)] as const),
      ),
    })
  } finally {
    for (const process of started) await process.stop()
  }
}

function nameOf(gateway: string, workers: number): string {
  return `${gateway} x${workers}`
}
