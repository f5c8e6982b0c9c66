import type { Case } from '../shared/cases/cases.js'
import type { Server } from '../shared/contenders.js'
import { type Installation, startContender } from '../shared/servers.js'
import { apiLoad } from './loads.js'
import { askAll } from './request.js'
import { countStatements } from './statement-counter.js'

/** Fewest requests before the count: they open connections and load what is loaded once. */
const WARM_UP_REQUESTS = 20

/** Number of counted requests, sent one after another. */
const COUNTED_REQUESTS = 200

/** SQL statements per request of a case, counted with a separate process of the server outside the measured rounds. */
export async function statementsPerRequest(
  server: Server,
  asked: Case,
  installation: Installation,
  apiKey: string,
): Promise<number> {
  const counter = await countStatements(server.gateway?.world.databaseUrl ?? installation.databaseUrl)
  try {
    const placement = { workers: 1, core: null }
    const process = await startContender(server, installation, placement, counter.databaseUrl)
    try {
      const load = apiLoad(asked, process.port, apiKey)
      await askAll(200, { ...load, paths: cycled(load.paths, Math.max(WARM_UP_REQUESTS, load.paths.length)) })
      const before = counter.count()
      await askAll(200, { ...load, paths: cycled(load.paths, COUNTED_REQUESTS) })
      return (counter.count() - before) / COUNTED_REQUESTS
    } finally {
      await process.stop()
    }
  } finally {
    await counter.close()
  }
}

/** Repeats the paths up to `count` of them. */
function cycled(paths: readonly [string, ...string[]], count: number): [string, ...string[]] {
  const more = Array.from({ length: count - 1 }, (_, place) => paths[(place + 1) % paths.length] ?? paths[0])
  return [paths[0], ...more]
}
