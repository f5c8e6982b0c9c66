import type { CompatFailure, CompatInterface } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { translateHistory } from './history.js'
import { translateMarks, translateTimescaleMarks } from './marks.js'
import { FILTERS, RESOLUTIONS, translateSymbol, translateSymbolSearch } from './symbols.js'

const CONFIG = jsonBody({
  supports_search: true,
  supports_group_request: false,
  supports_marks: true,
  supports_timescale_marks: true,
  supports_time: true,
  ...FILTERS,
  supported_resolutions: RESOLUTIONS.crypto,
})

/** The Universal Data Feed that TradingView's charts read. */
export const UDF: CompatInterface = {
  title: 'TradingView UDF',
  summary: 'Bars, symbols and marks for charts that read a Universal Data Feed.',
  routes: [
    { path: '/config', translate: () => CONFIG },
    {
      path: '/time',
      translate: ({ now }) => ({
        type: 'text/plain; charset=utf-8',
        text: String(Math.floor(now.getTime() / 1000)),
      }),
    },
    { path: '/symbols', translate: translateSymbol },
    { path: '/search', translate: translateSymbolSearch },
    { path: '/history', translate: translateHistory },
    { path: '/marks', translate: translateMarks },
    { path: '/timescale_marks', translate: translateTimescaleMarks },
  ],
  toError,
  uses: [
    { client: 'Charts', text: 'new Datafeeds.UDFCompatibleDatafeed("{base}")' },
    {
      client: 'Shell',
      text: "curl -s '{base}/history?symbol=BINANCE:bitcoin&resolution=1D&to=1767225600&countback=30&token={key}'",
    },
  ],
}

/** The protocol reports errors of a question with status 200; access, limits and faults keep their status. */
function toError({ error, message }: CompatFailure) {
  const isQuestion = error.status === 404 || error.status === 422
  const [problem] = error.details
  const errmsg = problem === undefined ? message : `${problem.field} ${problem.message}`
  return { status: isQuestion ? 200 : error.status, ...jsonBody({ s: 'error', errmsg }) }
}
