import type { Config } from '../config.js'
import { GRAPHQL_PATH } from '../core/paths.js'
import type { Clock } from '../core/time.js'
import type { Newsletter } from '../domains/newsletter/model.js'
import { health } from '../http/health.js'
import { mcpSite } from '../http/mcp/mcp-site.js'
import type { Handle } from '../http/node.js'
import { newsletterLinks } from '../http/pages/newsletter-links.js'
import { operationsSite } from '../http/pages/operations-site.js'
import { pages, unknownPages } from '../http/pages/pages.js'
import { wellKnown } from '../http/pages/well-known.js'
import type { PipelineOptions } from '../http/pipeline.js'
import type { Counters } from '../platform/counters/counters.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import { publicKeySet } from '../platform/secrets/signing.js'
import { VERSION } from '../platform/version.js'
import { ANSWER_EXAMPLES } from '../rest/openapi/answer-examples.js'
import { exampleOperations } from '../rest/openapi/example-variables.js'
import { restSchema } from '../schema.js'
import { newsletterMailLinks } from './configured-newsletter.js'
import { configuredOpenApi } from './configured-openapi.js'
import { operatorDetails } from './operator-details.js'
import { publicUrlOf } from './public-url.js'
import { readinessChecks } from './readiness.js'

export interface SiteDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly migrations: string
  readonly developmentKey: string | null
  readonly counters: Counters
  readonly newsletter: Newsletter
  readonly isDraining: () => boolean
  /** Answers the questions of tools. */
  readonly handle: Handle
}

type Sites = Pick<PipelineOptions, 'sites' | 'guardedSites'>

/** What the gateway serves beside REST and GraphQL, each list in the order in which it is asked. */
export function configuredSites(deps: SiteDependencies): Sites {
  const { config, database, log, isDraining, developmentKey, newsletter, handle } = deps
  const openApi = configuredOpenApi(config)
  return {
    sites: [
      health({
        ready: readinessChecks(deps),
        isDraining,
        version: VERSION,
        log,
        details: operatorDetails(deps),
      }),
      pages({
        graphqlPath: GRAPHQL_PATH,
        openApi,
        sampleUrl: publicUrlOf(config),
        developmentKey,
        isTrustedOnly: config.trustedDocuments !== null,
        version: VERSION,
      }),
      operationsSite(() => exampleOperations(restSchema, ANSWER_EXAMPLES)),
      wellKnown({ keySet: publicKeySet(config.signingKey ? [config.signingKey] : []) }),
    ],
    guardedSites: [
      newsletterLinks(newsletterMailLinks(database, newsletter)),
      mcpSite({ openApi, handle, corsOrigins: config.corsOrigins, version: VERSION }),
      unknownPages(),
    ],
  }
}
