import type { Config } from '../config.js'
import type { Sql } from './database/database.js'
import { createHttpClient, type DownloadClient, type HttpClient } from './http-client/http-client.js'
import { withProviderUrls } from './http-client/provider-addresses.js'
import { withProviderKeys } from './http-client/provider-keys.js'
import { requestTurns } from './http-client/request-turns.js'
import type { Logger } from './logger.js'
import { tracedHttp } from './telemetry/traced-http.js'
import type { Tracing } from './telemetry/tracing.js'
import { VERSION } from './version.js'

/** The client that fetches feeds, with the configured addresses and keys, at the rates that all processes on the database share. */
export function configuredHttp(
  { providerUrls, providerKeys }: Config,
  { database, log }: { readonly database: Sql; readonly log: Logger },
  tracing: Tracing | null = null,
): HttpClient & DownloadClient {
  const client = createHttpClient({
    log,
    userAgent: `market-data-gateway/${VERSION}`,
    turns: requestTurns(database),
  })
  const http = tracing === null ? client : tracedHttp(client, tracing)
  if (Object.keys(providerUrls).length > 0) log.warn({ providerUrls }, 'providers have other base URLs')
  return withProviderUrls(withProviderKeys(http, providerKeys), providerUrls)
}
