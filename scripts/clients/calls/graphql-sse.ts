import { print } from 'graphql'
import { createClient } from 'graphql-sse'
import type { ChangesSubscription } from '../generated/graphql/graphql.js'
import { type Calls, check, type Gateway } from './client.js'
import { CHANGES, LAST_CHANGES } from './documents.js'
import { operationBy } from './graphql-codegen.js'

/** The seed has many changes after it. */
const SINCE = '2026-01-01T00:00:00Z'

/** An event that is there already comes at once; longer and it does not come. */
const EVENT_MS = 20_000

/** A cursor that newer changes follow, by plain HTTP: the gateway answers queries as JSON only. */
async function olderCursor({ url, key }: Gateway): Promise<string> {
  const { data } = await operationBy({ url, key })(LAST_CHANGES, { since: SINCE })
  const cursor = data?.ai_analysis_changes?.next_cursor
  check(typeof cursor === 'string', 'there are more than three changes')
  return cursor
}

/** graphql-sse in its mode of distinct connections: one request per operation. */
export const calls: Calls = ({ url, key }) => {
  const client = createClient({ url: `${url}/graphql`, headers: { 'X-API-Key': key }, retryAttempts: 0 })
  return {
    error: async () => {
      const events = client.iterate({ query: 'subscription { nothing }' })
      const failure: unknown = await events.next().catch((error: unknown) => error)
      check(String(failure).includes('400'), `the failure is ${String(failure)}`)
    },
    subscription: async () => {
      const cursor = await olderCursor({ url, key })
      const events = client.iterate<ChangesSubscription>({ query: print(CHANGES), variables: { cursor } })
      const late = setTimeout(() => void events.return?.(), EVENT_MS)
      try {
        for await (const { data, errors } of events) {
          check(errors === undefined, `the event has errors: ${JSON.stringify(errors)}`)
          check(data?.ai_analysis_changes?.item.asset_id, 'the event has its item')
          return
        }
        throw new Error(`no event within ${EVENT_MS} ms`)
      } finally {
        clearTimeout(late)
      }
    },
  }
}
