import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars'
import { createSchema, createYoga } from 'graphql-yoga'
import { type Context, cardEdges, contextOf, queries } from './resolvers.js'

const schema = createSchema<Context>({
  typeDefs: readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    DateTime: GraphQLDateTime,
    JSONObject: GraphQLJSONObject,
    Query: queries,
    AssetCard: cardEdges,
  },
})

const yoga = createYoga({
  schema,
  context: contextOf,
  maxRequestBodySize: false,
  graphiql: false,
  landingPage: false,
  logging: false,
})

createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1')
