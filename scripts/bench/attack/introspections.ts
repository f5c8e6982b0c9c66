import { Agent } from 'node:http'
import { getIntrospectionQuery } from 'graphql'
import type { Target } from '../shared/target.js'
import { post } from './post.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

const AT_ONCE = 250
const ANSWER_MS = 120_000

/** Number of responses by status, and of broken connections by code. */
type Outcomes = Readonly<Record<string, number>>

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
      const outcomes: Record<string, number> = {}
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, number) => {
          const text = areDifferent ? `${query}\n# ${number}` : query
          const { outcome } = await post({ port: server.port, agent, query: text, timeoutMs: ANSWER_MS })
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        }),
      )
      return outcomes
    })
  } finally {
    agent.destroy()
    await server.stop()
  }
}
