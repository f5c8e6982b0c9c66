import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars'
import mercurius from 'mercurius'
import { cardEdges, contextOf, queries } from '../resolvers.js'

// Mercurius, which compiles an operation on its second run.
const app = fastify()

await app.register(mercurius, {
  schema: readFileSync(new URL('../../../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    // Its types allow only functions as resolvers.
    DateTime: GraphQLDateTime as never,
    JSONObject: GraphQLJSONObject as never,
    Query: queries as never,
    AssetCard: cardEdges as never,
  },
  context: () => contextOf(),
  graphiql: false,
  jit: 1,
})

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
