import { loadFeedLists, readinessProbes } from '../checks/checks.js'
import { getPublicUrl } from '../config/public-url.js'
import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import type { Newsletter } from '../domains/newsletter/model.js'
import type { Database } from '../platform/database/database.js'
import { watchMigrations } from '../platform/database/migrate.js'
import type { Logger } from '../platform/logger.js'
import type { Counters } from '../platform/quota/counters.js'
import type { PublicKeySet } from '../platform/secrets/signing.js'
import { VERSION } from '../platform/version.js'
import { restSchema } from '../schema.js'
import { listServedInterfaces } from './compat/served-interfaces.js'
import { health } from './http/health.js'
import type { Handle } from './http/node.js'
import type { PipelineOptions } from './http/pipeline.js'
import { MCP_PATH, mcpSite } from './mcp/mcp-site.js'
import type { RouteTool } from './mcp/tools.js'
import { findNearestPath } from './nearest-path.js'
import { newsletterLinks } from './pages/newsletter-links.js'
import { newsletterMailLinks } from './pages/newsletter-mail-links.js'
import { operationsSite } from './pages/operations-site.js'
import { DOCS_PATH, FULL_OPENAPI_PATH, GUIDES_PATH, HEALTH_PATH, OPENAPI_PATH } from './pages/page-paths.js'
import { guideSearch, pages, unknownPages } from './pages/pages.js'
import { wellKnown } from './pages/well-known.js'
import { GRAPHQL_PATH } from './paths.js'
import { ANSWER_EXAMPLES } from './rest/openapi/answer-examples.js'
import { exampleOperations } from './rest/openapi/example-variables.js'
import { operationPath } from './rest/routes/operation-address.js'
import { restEndpoints } from './rest/routes/rest-route.js'
import type { OpenApiTexts } from './rest/wiring.js'

export interface SiteDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly migrations: string
  readonly pageKey: string | null
  readonly counters: Counters
  readonly newsletter: Newsletter
  readonly keySet: () => Promise<PublicKeySet>
  readonly openApi: OpenApiTexts
  readonly operations: () => Promise<readonly RouteTool[]>
  readonly isDraining: () => boolean
  /** Handles the REST requests of tool calls. */
  readonly handle: Handle
}

type Sites = Pick<PipelineOptions, 'health' | 'sites' | 'guardedSites' | 'nearestPath'>

/** What programs find beside the routes of REST. */
const PROGRAM_PATHS = [
  GRAPHQL_PATH,
  MCP_PATH,
  DOCS_PATH,
  GUIDES_PATH,
  OPENAPI_PATH,
  FULL_OPENAPI_PATH,
  HEALTH_PATH,
  '/readyz',
  '/llms.txt',
]

/** Creates everything that the gateway serves besides REST and GraphQL. Each list is tried in order. */
export function configuredSites(deps: SiteDependencies): Sites {
  const { config, database, log, isDraining, pageKey, newsletter, handle, openApi, operations } = deps
  const endpoints = restEndpoints(restSchema)
  const shown = {
    pageKey,
    isDemoKey: config.demoKey !== null,
    isTrustedOnly: config.trustedDocuments !== null,
    interfaces: listServedInterfaces(config.compat, config.compatOpen),
    version: VERSION,
  }
  const compat = shown.interfaces.map(({ path }) => path)
  const paths = [...endpoints.map(({ rest }) => rest.path), ...PROGRAM_PATHS, ...compat]
  return {
    health: health({
      ready: readinessProbes({ ...deps, pendingMigrations: watchMigrations(deps.migrations) }),
      needsDatabase: config.readinessNeedsDatabase,
      isDraining,
      version: VERSION,
      log,
      details: () => loadFeedLists(deps),
    }),
    sites: [
      pages({ ...shown, graphqlPath: GRAPHQL_PATH, openApi, sampleUrl: getPublicUrl(config) }),
      operationsSite({
        paths: endpoints.map(({ field }) => operationPath(field.name)),
        operations: () => exampleOperations(restSchema, ANSWER_EXAMPLES),
      }),
      wellKnown({ keySet: deps.keySet }),
    ],
    guardedSites: [
      newsletterLinks(newsletterMailLinks(database, newsletter)),
      mcpSite({ tools: operations, handle, corsOrigins: config.corsOrigins, version: VERSION }),
      guideSearch(shown),
      unknownPages(shown, database.prisma),
    ],
    nearestPath: (path) => findNearestPath(path, paths),
  }
}
