import type { UsedState } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, type Envelope, envelope } from '../../schema-kit/envelope.js'
import type { ArgBuilder } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { asOfArgument } from '../../schema-kit/shared-arguments.js'
import type { EventPage } from './event-store.js'
import { listingArguments } from './listing-arguments-schema.js'
import type { ShownAction, ShownDividend } from './model.js'
import { listActions, listDividends, parseEventsFilter } from './service.js'

/** An event under the ticker that its stock was asked by. */
type Named<Event> = Event & { readonly ticker: string }

/** The events of a page, each under the ticker of the stock. */
export function namedEvents<Event>(ticker: string, { events }: EventPage<Event>): readonly Named<Event>[] {
  return events.map((event) => ({ ...event, ticker }))
}

const ActionTypeType = describedEnum('CorporateActionType', 'Kind of a corporate action.', {
  split: 'A share became several.',
  reverse_split: 'Several shares became one.',
  spin_off: 'Shares of a part of the company were given to its holders.',
  merger: 'The company was merged with, or bought, another one.',
  ticker_change: 'The share trades under another ticker.',
})

const FrequencyType = describedEnum('DividendFrequency', 'How often a dividend of its kind is paid.', {
  monthly: 'Each month.',
  quarterly: 'Each quarter.',
  semi_annual: 'Twice a year.',
  annual: 'Once a year.',
  special: 'Once, outside the usual order.',
})

export const CorporateActionType = builder.objectRef<Named<ShownAction>>('CorporateAction').implement({
  description: 'What changed the shares of a company.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'Ticker of the stock today.' }),
    action_type: t.expose('actionType', { type: ActionTypeType, description: 'Kind of the action.' }),
    ex_date: t.expose('exDate', {
      type: 'Date',
      description: 'First day on which the share trades in its new form, or under its new ticker.',
    }),
    ratio: t.exposeFloat('ratio', {
      nullable: true,
      description:
        'Shares held after it for each share before it: 4 for a split of 4 to 1, 0.1 for a reverse split of 1 to 10. Null where it does not apply or is not known.',
    }),
    description: t.string({
      nullable: true,
      description: 'In words. Null where the source gives none.',
      resolve: ({ description, formerTicker, ticker }) =>
        formerTicker === null
          ? description
          : `The ticker ${formerTicker} was given up; it is ${ticker} today.`,
    }),
    former_ticker: t.exposeString('formerTicker', {
      subGraphs: ['Graph'],
      nullable: true,
      description: 'What the ticker was before. Null for what is no ticker_change.',
    }),
    source: t.exposeString('source', {
      subGraphs: ['Graph'],
      description: 'Provider of the fact; `seed` is synthetic.',
    }),
  }),
})

export const DividendType = builder.objectRef<Named<ShownDividend>>('Dividend').implement({
  description: 'A cash dividend of a share.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'Ticker of the stock today.' }),
    ex_date: t.expose('exDate', {
      type: 'Date',
      description: 'First day on which the share trades without the dividend.',
    }),
    pay_date: t.expose('payDate', {
      type: 'Date',
      nullable: true,
      description: 'Day of the payment. Null while it is not known.',
    }),
    amount: t.exposeFloat('amount', {
      description:
        'Of one share as it was on that day, before taxes, in `currency`; not adjusted for later splits.',
    }),
    currency: t.exposeString('currency', { description: 'Currency of the amount (ISO 4217).' }),
    frequency: t.expose('frequency', {
      type: FrequencyType,
      description: 'How often a dividend of its kind is paid.',
    }),
    source: t.exposeString('source', {
      subGraphs: ['Graph'],
      description: 'Provider of the fact; `seed` is synthetic.',
    }),
  }),
})

/** Arguments of the events of one listing. */
const eventFilters = (arg: ArgBuilder) => ({ ...listingArguments(arg), as_of: asOfArgument(arg) })

const WHICH =
  'Newest first. A ticker that is listed on several markets needs `mic`; a ticker that was given up is a 404 that says what it became.'

listEndpoint('corporate_actions', {
  summary: 'Corporate actions of a stock',
  description: `Splits, spin-offs, mergers and changes of the ticker. ${WHICH}`,
  access: 'instruments:read',
  path: '/v1/stocks/{ticker}/corporate-actions',
  tag: 'stocks',
  reads: ['instruments', 'corporate_actions'],
  errors: ['not_found', 'service_unavailable'],
  item: CorporateActionType,
  filters: eventFilters,
  check: parseEventsFilter,
  resolve: async (filter, page, context) => {
    const { stock, total, ...found } = await listActions(filter, page, context)
    const actions = namedEvents(stock.ticker, { ...found, total })
    // Changes of tickers are known from the masters, without any other action.
    const state = context.datasets.get('corporate_actions') ?? datasetStateOf(context, 'instruments')
    const hasGap = actions.some(({ actionType, ratio }) => actionType.endsWith('split') && ratio === null)
    return { envelope: envelopeOfEvents(context, state, actions, hasGap), total }
  },
})

listEndpoint('dividends', {
  summary: 'Dividends of a stock',
  description: `Cash dividends of one share, as they were paid or announced. ${WHICH}`,
  access: 'instruments:read',
  path: '/v1/stocks/{ticker}/dividends',
  tag: 'stocks',
  reads: ['instruments', 'dividends'],
  errors: ['not_found', 'service_unavailable'],
  item: DividendType,
  filters: eventFilters,
  check: parseEventsFilter,
  resolve: async (filter, page, context) => {
    const state = datasetStateOf(context, 'dividends')
    const { stock, total, ...found } = await listDividends(filter, page, context)
    const dividends = namedEvents(stock.ticker, { ...found, total })
    const hasGap = dividends.some(({ payDate }) => payDate === null)
    return { envelope: envelopeOfEvents(context, state, dividends, hasGap), total }
  },
})

function envelopeOfEvents<Event>(
  context: RequestContext,
  state: UsedState,
  events: readonly Event[],
  hasGap: boolean,
): Envelope<readonly Event[]> {
  return envelope(context, state, 'daily', events, hasGap ? { data_quality: 'partial' } : {})
}
