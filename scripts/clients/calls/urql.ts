import { Client, fetchExchange } from '@urql/core'
import { callsOver, operationOf } from './graphql.js'

/** urql's core, which its packages for frameworks wrap. */
export const calls = callsOver(({ url, key }) => {
  const client = new Client({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: { 'X-API-Key': key } },
    preferGetMethod: false,
  })
  return async (document, variables) => {
    const isMutation = operationOf(document as never) === 'mutation'
    const { data, error } = await (isMutation
      ? client.mutation(document, variables).toPromise()
      : client.query(document, variables).toPromise())
    if (error?.networkError) throw error.networkError
    return { data, errors: error?.graphQLErrors ?? [] }
  }
})
