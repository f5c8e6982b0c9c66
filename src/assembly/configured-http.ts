import type { Config } from '../config.js'
import {
  createHttpClient,
  type DownloadClient,
  type HttpClient,
} from '../platform/http-client/http-client.js'
import { withProviderUrls } from '../platform/http-client/provider-addresses.js'
import { withProviderKeys } from '../platform/http-client/provider-keys.js'
import type { Logger } from '../platform/logger.js'
import { tracedHttp } from '../platform/telemetry/traced-http.js'
import type { Tracing } from '../platform/telemetry/tracing.js'
import { VERSION } from '../platform/version.js'

/** The client that feeds are fetched with, from where the configuration says and with its keys. */
export function configuredHttp(
  { providerUrls, providerKeys }: Config,
  log: Logger,
  tracing: Tracing | null = null,
): HttpClient & DownloadClient {
  const client = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  const http = tracing === null ? client : tracedHttp(client, tracing)
  if (Object.keys(providerUrls).length > 0)
    log.warn({ providerUrls }, 'providers are asked at other addresses')
  return withProviderUrls(withProviderKeys(http, providerKeys), providerUrls)
}
