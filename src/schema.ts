import './domains/datasets/registry-model.js' // with it the models of all domains: the fields below name datasets of other domains
import { buildSchemas } from './graphql/builder.js'
import { importEach } from './platform/import-each.js'

await importEach(new URL('./domains/', import.meta.url), 'schema')

/** The GraphQL schema and its REST sub-graph, put together from the schema.ts of every domain. */
export const { graph: graphSchema, rest: restSchema } = buildSchemas()
