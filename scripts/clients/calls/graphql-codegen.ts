import { print } from 'graphql'
import type { Gateway } from './client.js'
import { callsOver, type Outcome, type Run } from './graphql.js'

/** Runs typed documents with nothing but `fetch`. */
export const operationBy =
  ({ url, key }: Gateway): Run =>
  async <Data>(document: Parameters<typeof print>[0], variables: object) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ query: print(document), variables }),
    })
    // The document says which data the operation gives.
    const { data, errors = [] } = (await response.json()) as Partial<Outcome<Data>>
    return { data, errors }
  }

/** The typed documents of graphql-codegen. */
export const calls = callsOver(operationBy)
