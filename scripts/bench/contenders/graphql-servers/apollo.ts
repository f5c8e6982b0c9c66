import { readFileSync } from 'node:fs'
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled'
import { startStandaloneServer } from '@apollo/server/standalone'
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars'
import { type Context, cardEdges, contextOf, queries } from '../resolvers.js'

const server = new ApolloServer<Context>({
  typeDefs: readFileSync(new URL('../../../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    DateTime: GraphQLDateTime,
    JSONObject: GraphQLJSONObject,
    Query: queries,
    AssetCard: cardEdges,
  },
  // No field has a cache hint, and searching for hints takes time.
  plugins: [ApolloServerPluginCacheControlDisabled()],
})

await startStandaloneServer(server, {
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
  context: async () => contextOf(),
})
