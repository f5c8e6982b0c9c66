import type { CompatFailure, CompatInterface } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { V1_ROUTES } from './v1.js'
import { V2_ROUTES } from './v2.js'

/** Frankfurter (frankfurter.dev), for clients that load currency rates. The figures are those of the European Central Bank. */
export const FRANKFURTER: CompatInterface = {
  title: 'Frankfurter',
  summary: 'Euro reference rates by day, range, week and month, in versions 1 and 2.',
  routes: [...V1_ROUTES, ...V2_ROUTES],
  toError,
  uses: [
    { client: 'Version 1', text: '{base}/v1/latest?base=USD&symbols=EUR,GBP&token={key}' },
    { client: 'Version 2', text: '{base}/v2/rates?base=USD&quotes=EUR,GBP&token={key}' },
    { client: 'CSV', text: '{base}/v2/rates.csv?quotes=USD&from=2026-01-01&token={key}' },
  ],
}

/** A 404 has one text, and a 406 no body. Version 2 repeats the status. */
function toError({ error, message, path }: CompatFailure) {
  const { status, details } = error
  if (status === 406) return { status, type: 'text/csv', text: '' }
  // The names of the operation's arguments are not those of the original.
  const text = status === 404 ? 'not found' : (details[0]?.message ?? message)
  const isFirst = path.startsWith('/v1/')
  return { status, ...jsonBody(isFirst ? { message: text } : { status, message: text }) }
}
