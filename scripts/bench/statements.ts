import type { Case } from './cases.js'
import type { ServerName } from './contenders.js'
import { apiLoad } from './loads.js'
import { askFor } from './request.js'
import { type Installation, startContender } from './servers.js'
import { countStatements } from './statement-counter.js'

/** Requests before the count, until connections are open and what is read once was read. */
const WARM_UP_REQUESTS = 20

/** Requests that are counted, one after the other. */
const COUNTED_REQUESTS = 200

/** SQL statements per request of a case, by a process of the server's own outside the measured rounds. */
export async function statementsPerRequest(
  server: Exclude<ServerName, 'bare'>,
  asked: Case,
  installation: Installation,
  apiKey: string,
): Promise<number> {
  const counter = await countStatements(installation.databaseUrl)
  try {
    const counted = { ...installation, databaseUrl: counter.databaseUrl }
    const process = await startContender(server, counted, { workers: 1, core: null })
    try {
      const load = apiLoad(asked, process.port, apiKey)
      for (let request = 0; request < WARM_UP_REQUESTS; request++) await askFor(200, load)
      const before = counter.count()
      for (let request = 0; request < COUNTED_REQUESTS; request++) await askFor(200, load)
      return (counter.count() - before) / COUNTED_REQUESTS
    } finally {
      await process.stop()
    }
  } finally {
    await counter.close()
  }
}
