import { STATUS_CODES } from 'node:http'
import type { CompatBody, CompatFailure, CompatInterface, CompatRoute } from '../compat-interface.js'
import { toErrorBody } from './fred-body.js'
import { translateGraph, translateObservations } from './observations.js'
import { translateSearch, translateSeries, translateVintageDates } from './series-facts.js'

const GRAPH_PATH = '/graph/fredgraph.csv'

const ROUTES: readonly CompatRoute[] = [
  { path: '/fred/series', translate: translateSeries },
  { path: '/fred/series/observations', translate: translateObservations },
  { path: '/fred/series/vintagedates', translate: translateVintageDates },
  { path: '/fred/series/search', translate: translateSearch },
  { path: GRAPH_PATH, translate: translateGraph },
]

/** FRED (Federal Reserve Bank of St. Louis), for its clients. The figures are those of the publishers that FRED takes them from. */
export const FRED: CompatInterface = {
  title: 'FRED',
  summary:
    'Treasury yields, US prices and employment, interest rates of the ECB, credit and property prices under the identifiers of FRED.',
  routes: ROUTES,
  toError,
  uses: [
    {
      client: 'Observations',
      text: '{base}/fred/series/observations?series_id=CPIAUCSL&file_type=json&api_key={key}',
    },
    { client: 'CSV', text: '{base}/graph/fredgraph.csv?id=DGS10&cosd=2026-01-01&api_key={key}' },
    {
      client: 'fredapi (Python)',
      text: "Fred.root_url = '{base}/fred'; Fred(api_key='{key}').get_series('UNRATE')",
    },
  ],
}

/** FRED answers 400 for a wrong key, a wrong parameter and a series that does not exist; its graphs answer 404 for the last one. */
function toError({ error, message, path, query }: CompatFailure): CompatBody & { readonly status: number } {
  const { status, text } = translateError(error.status, message, path)
  const shown = `${STATUS_CODES[status]}.  ${text}`
  if (path === GRAPH_PATH) return { status, type: 'text/plain; charset=utf-8', text: shown }
  return { status, ...toErrorBody(status, shown, query.get('file_type') === 'json' ? 'json' : 'xml') }
}

function translateError(status: number, message: string, path: string) {
  if (status === 401)
    return { status: 400, text: `The value for variable api_key is not registered.  ${message}` }
  // The operation's own text suggests keys of the operation.
  if (status === 404 && ROUTES.some((route) => route.path === path))
    return { status: path === GRAPH_PATH ? 404 : 400, text: 'The series does not exist.' }
  return { status: status === 422 ? 400 : status, text: message }
}
