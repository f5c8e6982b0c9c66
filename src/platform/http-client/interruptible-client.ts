import type { DownloadClient, HttpClient } from './http-client.js'

/** The same client; its calls throw the signal's reason after the signal is aborted. */
export function interruptibleClient(
  client: HttpClient & DownloadClient,
  signal: AbortSignal,
): HttpClient & DownloadClient {
  const either = (own: AbortSignal | undefined) =>
    own === undefined ? signal : AbortSignal.any([own, signal])
  return {
    request: (request) => client.request({ ...request, signal: either(request.signal) }),
    download: (request, path) => client.download({ ...request, signal: either(request.signal) }, path),
  }
}
