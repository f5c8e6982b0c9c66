import type { Config } from '../config.js'
import {
  createHttpClient,
  type DownloadClient,
  type HttpClient,
} from '../platform/http-client/http-client.js'
import { withProviderUrls } from '../platform/http-client/provider-addresses.js'
import type { Logger } from '../platform/logger.js'
import { VERSION } from '../platform/version.js'

/** The client that feeds are fetched with, from where the configuration says. */
export function configuredHttp({ providerUrls }: Config, log: Logger): HttpClient & DownloadClient {
  const http = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  if (Object.keys(providerUrls).length > 0)
    log.warn({ providerUrls }, 'providers are asked at other addresses')
  return withProviderUrls(http, providerUrls)
}
