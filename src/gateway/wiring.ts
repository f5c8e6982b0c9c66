import { loadFeedLists, readinessProbes } from '../checks/checks.js'
import { getPublicUrl } from '../config/public-url.js'
import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import type { Newsletter } from '../domains/newsletter/model.js'
import type { Database } from '../platform/database/database.js'
import { watchMigrations } from '../platform/database/migrate.js'
import { cachedSnapshotKeySet } from '../platform/installation/snapshot-key-set.js'
import type { Logger } from '../platform/logger.js'
import type { Counters } from '../platform/quota/counters.js'
import { VERSION } from '../platform/version.js'
import { restSchema } from '../schema.js'
import { health } from './http/health.js'
import type { Handle } from './http/node.js'
import type { PipelineOptions } from './http/pipeline.js'
import { mcpSite } from './mcp/mcp-site.js'
import { newsletterLinks } from './pages/newsletter-links.js'
import { newsletterMailLinks } from './pages/newsletter-mail-links.js'
import { operationsSite } from './pages/operations-site.js'
import { pages, unknownPages } from './pages/pages.js'
import { wellKnown } from './pages/well-known.js'
import { GRAPHQL_PATH } from './paths.js'
import { ANSWER_EXAMPLES } from './rest/openapi/answer-examples.js'
import { exampleOperations } from './rest/openapi/example-variables.js'
import { operationPath } from './rest/routes/operation-address.js'
import { restEndpoints } from './rest/routes/rest-route.js'
import { configuredOpenApi } from './rest/wiring.js'

export interface SiteDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly migrations: string
  readonly pageKey: string | null
  readonly counters: Counters
  readonly newsletter: Newsletter
  readonly isDraining: () => boolean
  /** Handles the REST requests of tool calls. */
  readonly handle: Handle
}

type Sites = Pick<PipelineOptions, 'health' | 'sites' | 'guardedSites'>

/** Creates everything that the gateway serves besides REST and GraphQL. Each list is tried in order. */
export function configuredSites(deps: SiteDependencies): Sites {
  const { config, database, log, isDraining, pageKey, newsletter, handle } = deps
  const openApi = configuredOpenApi(config)
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
      pages({
        graphqlPath: GRAPHQL_PATH,
        openApi,
        sampleUrl: getPublicUrl(config),
        pageKey,
        isDemoKey: config.demoKey !== null,
        isTrustedOnly: config.trustedDocuments !== null,
        version: VERSION,
      }),
      operationsSite({
        paths: restEndpoints(restSchema).map(({ field }) => operationPath(field.name)),
        operations: () => exampleOperations(restSchema, ANSWER_EXAMPLES),
      }),
      wellKnown({ keySet: cachedSnapshotKeySet(config, database, deps.clock) }),
    ],
    guardedSites: [
      newsletterLinks(newsletterMailLinks(database, newsletter)),
      mcpSite({ openApi: openApi.full, handle, corsOrigins: config.corsOrigins, version: VERSION }),
      unknownPages(),
    ],
  }
}
