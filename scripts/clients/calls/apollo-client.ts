import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client'
import { type Calls, check, type Gateway } from './client.js'
import { callsOver, type GraphQLFailure, operationOf } from './graphql.js'

/** The events that the example asks for are there already. */
const EVENT_MS = 20_000

/** Apollo Client with its normalised cache, asked again each time. */
const operations = callsOver(({ url, key }) => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql`, headers: { 'X-API-Key': key } }),
    cache: new InMemoryCache(),
  })
  return async (document, variables) => {
    const options = { variables, errorPolicy: 'all', fetchPolicy: 'network-only' } as const
    const { data, error } =
      operationOf(document as never) === 'mutation'
        ? await client.mutate({ mutation: document, variables: variables as never, errorPolicy: 'all' })
        : await client.query({ query: document, ...options, variables: variables as never })
    return { data: data as never, errors: failuresOf(error) }
  }
})

export const calls: Calls = (gateway) => ({
  ...operations(gateway),
  subscription: () => guideExample(gateway),
})

/** The unchanged example of the guide, which the trial has put beside the calls: two events come at once. */
async function guideExample({ key }: Gateway): Promise<void> {
  const program = join(import.meta.dirname, 'apollo-guide.mjs')
  const env = { ...process.env, KEY: key }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const late = setTimeout(() => child.kill(), EVENT_MS)
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) if (lines.push(line) === 2) break
  clearTimeout(late)
  child.kill()
  await ended
  check(lines.length === 2, `the example wrote ${JSON.stringify(lines)} within ${EVENT_MS} ms`)
  for (const line of lines) check(/^[a-z0-9-]+$/.test(line), `the example wrote ${line} where a slug is due`)
}

function failuresOf(error: unknown): readonly GraphQLFailure[] {
  if (error === undefined) return []
  if (!CombinedGraphQLErrors.is(error)) throw error
  return error.errors
}
