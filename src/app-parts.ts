import type { Registry } from 'prom-client'
import type { Config } from './config.js'
import { configuredAccess } from './configured-access.js'
import type { Clock } from './core/time.js'
import { accessPort, countersPort, throttlePort } from './domains/access/model.js'
import { upgradeUrlPort } from './domains/analysis/model.js'
import { identifierService } from './domains/instruments/model.js'
import { usagePort } from './domains/usage/model.js'
import { createAccessLog } from './http/access-log.js'
import { originOptions } from './http/authenticate.js'
import { createIdentifierService } from './ingest/ask-provider.js'
import { AnswerCache } from './platform/answer-cache.js'
import { createSharedAnswers } from './platform/answers-redis.js'
import { createCounters } from './platform/create-counters.js'
import { DataVersions } from './platform/data-version.js'
import type { Database } from './platform/database.js'
import { createHttpClient } from './platform/http-client.js'
import type { Logger } from './platform/logger.js'
import { bindPorts } from './platform/ports.js'
import { createThrottle } from './platform/throttle.js'
import { createUsageRecorder } from './platform/usage.js'
import { VERSION } from './platform/version.js'

export interface PartsDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Registry
}

/** What lives as long as the application: caches, counters and services that requests share. Close what can be closed. */
export function createParts({ config, database, clock, log, metrics }: PartsDependencies) {
  const counters = createCounters({ database, redisUrl: config.redisUrl, clock, log })
  const throttle = createThrottle({ database, redisUrl: config.redisUrl, log })
  const usage = createUsageRecorder(database, log)
  const access = configuredAccess(config, { database, clock, log })
  const http = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  const { url, apiKey } = config.openFigi
  const ports = bindPorts([
    { port: accessPort, implementation: access },
    { port: throttlePort, implementation: throttle },
    { port: countersPort, implementation: counters },
    { port: usagePort, implementation: usage },
    { port: upgradeUrlPort, implementation: config.upgradeUrl },
    { port: identifierService, implementation: createIdentifierService({ http, url, apiKey }) },
  ])
  const shared = config.redisUrl === null ? null : createSharedAnswers(config.redisUrl, log)
  const cache = new AnswerCache({ maxBytes: config.cacheBytes, shared })
  return {
    counters,
    usage,
    access,
    ports,
    versions: new DataVersions(database, clock),
    cache,
    accessLog: createAccessLog({ metrics, log }),
    origin: originOptions(config.keyPepper, config.trustProxy),
    close: async () => {
      await Promise.all([counters, throttle, usage, access, cache].map((part) => part.close()))
    },
  }
}
