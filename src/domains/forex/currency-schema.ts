import { parseAsOfArgument } from '../../core/argument-parsers.js'
import { Problems } from '../../core/problems.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import { day, shownFields, text } from '../../schema-kit/shown-fields.js'
import { currenciesKnownAt, type KnownCurrency } from './currency-service.js'
import { FOREX_CURRENCIES } from './model.js'

const NAMES: ReadonlyMap<string, string> = new Map(FOREX_CURRENCIES.map(({ code, name }) => [code, name]))

const CurrencyType = builder.objectRef<KnownCurrency>('ForexCurrency').implement({
  description: 'A currency with euro reference rates.',
  fields: (t) =>
    shownFields(t, {
      currency: text('Currency (ISO 4217).', 'code'),
      name: t.string({
        nullable: true,
        description:
          'English name of ISO 4217. Null for a currency that was no longer quoted at the end of 2025.',
        resolve: ({ code }) => NAMES.get(code) ?? null,
      }),
      first_date: day('Publication day of the first rate.', 'firstDate'),
      last_date: day('Publication day of the newest rate.', 'lastDate'),
      ended_on: day.orNull(
        'Last day with a rate if the currency is no longer quoted. Null while it is quoted.',
        'endedOn',
      ),
    }),
})

queryEndpoint('forex_currencies', {
  summary: 'Currencies with euro rates',
  keywords: ['list of currencies', 'currency codes', 'ISO 4217', 'supported currencies', 'which currencies'],
  description:
    'All currencies that have or had a euro reference rate, sorted by code, with the days of their first and newest rate. The euro is not among them.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/forex/currencies', tag: 'forex', table: { rows: 'data' } },
  reads: ['forex'],
  type: defineListEnvelope(CurrencyType),
  args: asOfArguments,
  check: (args, { now }) => {
    const problems = new Problems()
    const asOf = parseAsOfArgument(problems, args, now)
    problems.refuse()
    return asOf
  },
  resolve: async (asOf, context) => {
    const state = datasetStateOf(context, 'forex')
    return envelope(context, state, 'forex', [...(await currenciesKnownAt(asOf, context)).values()])
  },
})
