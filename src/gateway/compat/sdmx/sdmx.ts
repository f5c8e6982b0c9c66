import { publishersText, shortTextOf } from '../../../core/providers.js'
import type { CompatBody, CompatFailure, CompatInterface } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { translateData } from './sdmx-data.js'

/** The data query of SDMX REST (version 2.1), for its clients. The figures are those of each agency. */
export const SDMX: CompatInterface = {
  title: 'SDMX',
  summary: `Series of ${publishersText(shortTextOf)}, and euro exchange rates, in SDMX-JSON and SDMX-CSV 1.0.`,
  routes: ['/data/{flow}', '/data/{flow}/{key}', '/data/{flow}/{key}/{provider}'].map((path) => ({
    path,
    translate: translateData,
  })),
  toError,
  uses: [
    {
      client: 'JSON',
      text: '{base}/data/WS_TC/Q.US.P.A.M.770.A?startPeriod=2020&format=jsondata&token={key}',
    },
    {
      client: 'CSV',
      text: '{base}/data/EXR/D.USD.EUR.SP00.A?startPeriod=2026-01&format=csvdata&token={key}',
    },
  ],
}

/** Error codes of SDMX by status; those from 1000 on are a service's own. */
const SDMX_CODES: Readonly<Record<number, number>> = {
  400: 140,
  401: 110,
  403: 110,
  404: 100,
  413: 130,
  500: 500,
  503: 503,
}
const OWN_CODE = 1000

function toError({ error, message }: CompatFailure): CompatBody & { readonly status: number } {
  const status = toStatus(error)
  return { status, ...jsonBody({ errors: [{ code: SDMX_CODES[status] ?? OWN_CODE, title: message }] }) }
}

/** SDMX has no 422. The operation of exchange rates refuses a currency that has none. */
function toStatus({ status, details }: CompatFailure['error']): number {
  if (status !== 422) return status
  return details[0]?.field === 'quote' ? 404 : 400
}
