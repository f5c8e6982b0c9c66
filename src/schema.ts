import './domains/access/schema.js'
import './domains/analysis/schema.js'
import './domains/cards/schema.js'
import './domains/datasets/schema.js'
import './domains/filings/schema.js'
import './domains/forex/schema.js'
import './domains/instruments/schema.js'
import './domains/macro/schema.js'
import './domains/market/schema.js'
import './domains/onchain/schema.js'
import './domains/screening/schema.js'
import './domains/stocks/schema.js'
import './domains/usage/schema.js'
import { buildSchemas } from './graphql/builder.js'

/** The GraphQL schema and its REST sub-graph, put together from every domain. */
export const { graph: graphSchema, rest: restSchema } = buildSchemas()
