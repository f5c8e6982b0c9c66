import { ClientError, GraphQLClient } from 'graphql-request'
import { callsOver } from './graphql.js'

export const calls = callsOver(({ url, key }) => {
  const client = new GraphQLClient(`${url}/graphql`, { headers: { 'X-API-Key': key } })
  return async (document, variables) => {
    try {
      // The library's rest argument depends on the variables' type, which is not known here.
      return { data: await client.request(document, ...([variables] as never)), errors: [] }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      return { data: null, errors: error.response.errors ?? [] }
    }
  }
})
