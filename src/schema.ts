import './domains/datasets/registry-model.js' // with it the models of all domains: the fields below name datasets of other domains
import { sliceLists } from './gateway/graphql/run/sliced-lists.js'
import { importEach } from './platform/import-each.js'
import { buildSchemas } from './schema-kit/builder.js'

await importEach(new URL('./domains/', import.meta.url), 'schema')

const { graph, rest } = buildSchemas()
for (const schema of [graph, rest]) sliceLists(schema)

/** The GraphQL schema and its REST sub-graph, put together from the schema.ts of every domain. */
export { graph as graphSchema, rest as restSchema }
