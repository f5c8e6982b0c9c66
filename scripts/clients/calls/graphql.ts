import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type Calls, check, type Gateway, TOO_MANY } from './client.js'
import { ASSET, ASSETS, CREATE_KEY } from './documents.js'

export interface GraphQLFailure {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** What one operation gave, in whatever form a client has it. */
export interface Outcome<Data> {
  readonly data: Data | null | undefined
  readonly errors: readonly GraphQLFailure[]
}

/** How a client runs a query or a mutation. */
export type Run = <Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) => Promise<Outcome<Data>>

export function operationOf(document: TypedDocumentNode<never, never>): string {
  const [operation] = document.definitions
  return operation?.kind === 'OperationDefinition' ? operation.operation : 'query'
}

/** The same calls for every client of GraphQL; the types of the answers are those of graphql-codegen. */
export function callsOver(connect: (gateway: Gateway) => Run): Calls {
  return (gateway) => {
    const run = connect(gateway)
    return {
      list: async () => {
        const { data } = await run(ASSETS, { limit: 2, offset: 0 })
        check(data?.assets?.data.length === 2, 'two assets')
        check(data.assets.meta.is_dev_dataset === true, 'of the seed')
        check(data.assets.data[0]?.ohlcv?.candles.length === 1, 'each with a candle')
      },
      one: async () => {
        const { data } = await run(ASSET, { id: 'bitcoin' })
        check(data?.asset?.data.ticker === 'BTC', `the ticker is ${data?.asset?.data.ticker}`)
      },
      error: async () => {
        const { errors } = await run(ASSETS, { limit: TOO_MANY, offset: 0 })
        const code = errors[0]?.extensions?.code
        check(code === 'VALIDATION_ERROR', `the code of the error is ${String(code)}`)
      },
      pages: async () => {
        const { data: first } = await run(ASSETS, { limit: 2, offset: 0 })
        const { data: second } = await run(ASSETS, { limit: 2, offset: 2 })
        check(first?.assets?.meta.has_next === true, 'there is another page')
        check(first.assets.data[0]?.asset_id !== second?.assets?.data[0]?.asset_id, 'another page')
      },
      mutation: async () => {
        const { data } = await run(CREATE_KEY, { label: 'clients' })
        check(data?.create_api_key?.label === 'clients', 'a key with its label')
      },
    }
  }
}
