import { Agent } from 'node:http'
import { getIntrospectionQuery } from 'graphql'
import type { Target } from '../shared/target.js'
import { countOutcomes, type Outcomes } from './count-outcomes.js'
import { post } from './post.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

const AT_ONCE = 250
const ANSWER_MS = 120_000

/** Requests the whole schema without a key, many times at once, with one text or with different texts. */
export async function attackWithIntrospections(
  target: Target,
  { areDifferent }: { readonly areDifferent: boolean },
): Promise<WatchedRun<Outcomes>> {
  const server = await target.start({ INTROSPECTION: 'public' })
  const agent = new Agent({ keepAlive: true })
  const query = getIntrospectionQuery()
  try {
    return await watchProcess(server, async () => {
      const results = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, number) => {
          const text = areDifferent ? `${query}\n# ${number}` : query
          return post({ port: server.port, agent, query: text, timeoutMs: ANSWER_MS })
        }),
      )
      return countOutcomes(results)
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}
