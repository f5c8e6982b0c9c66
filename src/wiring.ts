import type { Registry } from 'prom-client'
import { configuredAccess } from './access.js'
import { getPublicUrl } from './config/public-url.js'
import type { Config } from './config.js'
import type { Clock } from './core/time.js'
import { accessPort, countersPort, throttlePort, usagePort } from './domains/access/model.js'
import {
  sqlAcceptedRisksPort,
  sqlAddressPort,
} from './domains/access/sql-credentials/sql-credential-model.js'
import { upgradeUrlPort } from './domains/analysis/model.js'
import { datasetJobsPort } from './domains/datasets/model.js'
import { identifierService } from './domains/instruments/discovery/identifier-service-model.js'
import { newsletterPort } from './domains/newsletter/model.js'
import { configuredNewsletter } from './domains/newsletter/wiring.js'
import { chainReaderPort } from './domains/onchain/model.js'
import { releaseInstants } from './domains/releases/release-instants.js'
import { releaseStorePort } from './domains/releases/storage/release-store.js'
import { servedReleases } from './domains/releases/wiring.js'
import { webhooksPort } from './domains/webhooks/model.js'
import { configuredWebhooks } from './domains/webhooks/wiring.js'
import { createAddressHasher } from './gateway/http/identity/address-hash.js'
import { createAccessLog } from './gateway/http/response/access-log.js'
import { tracedAccessLog } from './gateway/http/telemetry/traced-handle.js'
import { createChainReader } from './ingest/chains/ask-addresses.js'
import { createIdentifierService } from './ingest/datasets/instruments/identifier-service.js'
import { allowsCommercialUse, licenceOfSource } from './ingest/registry.js'
import { configuredDatasetJobs } from './ingest/wiring.js'
import type { Database } from './platform/database/database.js'
import { DataVersions } from './platform/database/versions/data-versions.js'
import { cachedSnapshotKeySet } from './platform/installation/snapshot-key-set.js'
import type { Logger } from './platform/logger.js'
import { createOperationStore } from './platform/operation-store/operation-store.js'
import { createCounters, createPlaces } from './platform/quota/create-counters.js'
import { createThrottle } from './platform/quota/throttle.js'
import { type ReceiptChecks, receiptsPort } from './platform/receipts/receipts-port.js'
import { configuredReplicas } from './platform/replicas/wiring.js'
import { commercialUsePort, licencePort } from './platform/request/commercial-use.js'
import { bindPorts } from './platform/request/ports.js'
import { publicUrlPort } from './platform/request/public-url.js'
import { releaseInstantsPort } from './platform/request/release-instants.js'
import { createSharedResponses } from './platform/response-cache/redis-responses.js'
import { ResponseCache } from './platform/response-cache/response-cache.js'
import type { Tracing } from './platform/telemetry/tracing.js'
import { createUsageRecorder } from './platform/usage/usage.js'
import { configuredHttp } from './platform/wiring.js'

export interface PartsDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Registry
  /** Left out or null: nothing is traced. */
  readonly tracing?: Tracing | null
}

/**
 * What lives as long as the application: caches, counters and services that requests share. Close what can be closed. `prepare`
 * runs the request of a receipt again.
 */
export function createParts(deps: PartsDependencies, prepare: ReceiptChecks['prepare']) {
  const { config, database, clock, log, metrics, tracing = null } = deps
  const counters = createCounters({ database, redisUrl: config.redisUrl, clock, log })
  const places = createPlaces({ database, redisUrl: config.redisUrl, log })
  const throttle = createThrottle({ database, clock, log })
  const usage = createUsageRecorder(database, log)
  const access = configuredAccess(config, { database, clock, log })
  const http = configuredHttp(config, { database, log }, tracing)
  const newsletter = configuredNewsletter(config)
  const { rpcUrls, etherscanKey, openFigiKey, providerUrls } = config
  const releases = servedReleases(config)
  const keySet = cachedSnapshotKeySet(config, database, clock)
  const ports = bindPorts([
    { port: accessPort, implementation: access },
    { port: throttlePort, implementation: throttle },
    { port: countersPort, implementation: counters },
    { port: usagePort, implementation: usage },
    { port: sqlAddressPort, implementation: config.sqlAddress },
    { port: sqlAcceptedRisksPort, implementation: config.sqlAcceptedRisks },
    { port: upgradeUrlPort, implementation: config.upgradeUrl },
    { port: publicUrlPort, implementation: getPublicUrl(config) },
    { port: newsletterPort, implementation: newsletter },
    { port: webhooksPort, implementation: configuredWebhooks(config) },
    { port: commercialUsePort, implementation: allowsCommercialUse },
    { port: licencePort, implementation: licenceOfSource },
    { port: datasetJobsPort, implementation: configuredDatasetJobs(config) },
    { port: chainReaderPort, implementation: createChainReader({ http, log, rpcUrls, etherscanKey }) },
    { port: receiptsPort, implementation: { keySet, prepare } satisfies ReceiptChecks },
    { port: releaseStorePort, implementation: releases },
    { port: releaseInstantsPort, implementation: releaseInstants(releases) },
    {
      port: identifierService,
      implementation: createIdentifierService({
        ...{ http, apiKey: openFigiKey },
        isLimited: providerUrls.openfigi === undefined,
      }),
    },
  ])
  const shared = config.redisUrl === null ? null : createSharedResponses(config.redisUrl, log)
  const cache = new ResponseCache({ maxBytes: config.cacheBytes, shared })
  const operations = createOperationStore({
    // Trusted documents need no other store.
    redisUrl: config.trustedDocuments === null ? config.redisUrl : null,
    log,
  })
  const versions = new DataVersions(database, clock)
  const replicas = configuredReplicas(config, { metrics, log, versions })
  const accessLog = createAccessLog({ metrics, log })
  const closing = [
    counters,
    places,
    throttle,
    usage,
    access,
    cache,
    operations,
    ...(replicas ? [replicas] : []),
  ]
  return {
    counters,
    places,
    usage,
    access,
    ports,
    keySet,
    newsletter,
    versions,
    replicas,
    cache,
    operations,
    accessLog: tracing === null ? accessLog : tracedAccessLog(accessLog, tracing),
    hashAddress: createAddressHasher(config.keyPepper, config.trustProxy),
    close: async () => {
      await Promise.all(closing.map((part) => part.close()))
    },
  }
}
