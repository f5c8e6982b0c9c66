import type { DownloadClient, HttpClient, HttpRequest } from '../../platform/http-client/http-client.js'

/** The client of an attempt: requests end when the signal is aborted, and the attempt reports what failed in one line. */
export function ofAttempt(
  http: HttpClient & DownloadClient,
  signal: AbortSignal,
): HttpClient & DownloadClient {
  const bounded = (request: HttpRequest): HttpRequest => ({
    ...request,
    isReportedByCaller: true,
    signal: request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]),
  })
  return {
    request: (request) => http.request(bounded(request)),
    download: (request, path) => http.download(bounded(request), path),
  }
}
