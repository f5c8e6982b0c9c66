import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client'
import { callsOver, type GraphQLFailure, operationOf } from './graphql.js'

/** Apollo Client with its normalised cache, asked anew each time. */
export const calls = callsOver(({ url, key }) => {
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

function failuresOf(error: unknown): readonly GraphQLFailure[] {
  if (error === undefined) return []
  if (!CombinedGraphQLErrors.is(error)) throw error
  return error.errors
}
