import { ApiError, notFound } from '../../../core/errors.js'
import type { CompatRequest, CompatRoute, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import {
  CURRENCIES_CALL,
  EURO,
  namesProvider,
  PROVIDER,
  type QuotedCurrency,
  refusal,
  toQuotedCurrencies,
} from './euro-rates.js'
import { translateRate, translateRates } from './v2-rates.js'

/** Version 2: one row for each pair and day. The only provider is the European Central Bank. */
export const V2_ROUTES: readonly CompatRoute[] = [
  { path: '/v2/rates', translate: translateRates },
  { path: '/v2/rates.csv', translate: (request) => translateRates({ ...request, accept: 'text/csv' }) },
  { path: '/v2/rate/{base}/{quote}', translate: translateRate },
  { path: '/v2/currencies', translate: translateCurrencies },
  { path: '/v2/currency/{code}', translate: translateCurrency },
  {
    path: '/v2/providers',
    translate: () => ({
      ...CURRENCIES_CALL,
      toBody: (answer) => jsonBody([toProvider(toQuotedCurrencies(answer))]),
    }),
  },
  // Only rates have a form in CSV.
  ...['/v2/currencies.csv', '/v2/providers.csv', '/v2/currency/{code}.csv'].map((path) => ({
    path,
    translate: () => {
      throw new ApiError('not_acceptable')
    },
  })),
]

function translateCurrencies({ query }: CompatRequest): TranslatedCall {
  const scope = query.get('scope')
  if (scope !== null && scope !== 'all') throw refusal('invalid scope')
  const isAll = namesProvider(query.get('providers')) || scope === 'all'
  return {
    ...CURRENCIES_CALL,
    toBody: (answer) =>
      jsonBody(
        toQuotedCurrencies(answer)
          .filter(({ isQuoted }) => isAll || isQuoted)
          .map(toCurrency),
      ),
  }
}

function translateCurrency({ path }: CompatRequest): TranslatedCall {
  const code = path.code?.toUpperCase()
  return {
    ...CURRENCIES_CALL,
    toBody: (answer) => {
      const currency = toQuotedCurrencies(answer).find((known) => known.code === code)
      if (currency === undefined) throw notFound('not found')
      return jsonBody({ ...toCurrency(currency), providers: [PROVIDER.key] })
    },
  }
}

function toCurrency({ code, numeric, name, symbol, firstDate, lastDate }: QuotedCurrency) {
  return { iso_code: code, iso_numeric: numeric, name, symbol, start_date: firstDate, end_date: lastDate }
}

function toProvider(currencies: readonly QuotedCurrency[]) {
  const euro = currencies.find(({ code }) => code === EURO)
  return {
    ...PROVIDER,
    start_date: euro?.firstDate ?? null,
    end_date: euro?.lastDate ?? null,
    currencies: currencies.flatMap(({ code }) => (code === EURO ? [] : [code])),
  }
}
