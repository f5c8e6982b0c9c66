import type { UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, type Envelope, envelope } from '../../schema-kit/envelope.js'
import type { ArgBuilder } from '../../schema-kit/fields.js'
import { listEndpoint } from '../../schema-kit/list-endpoint.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import { day, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { listingArguments } from '../instruments/listing-arguments-schema.js'
import type { EventPage, ShownAction, ShownDividend } from './event-store.js'
import { listActions, listDividends, parseEventsFilter } from './service.js'

/** An event with the ticker of its stock. */
type Named<Event> = Event & { readonly ticker: string }

/** The events of a page, each with the ticker of the stock. */
export function namedEvents<Event>(ticker: string, { events }: EventPage<Event>): readonly Named<Event>[] {
  return events.map((event) => ({ ...event, ticker }))
}

const ActionTypeType = describedEnum('CorporateActionType', 'Kind of a corporate action.', {
  split: 'One share became several.',
  reverse_split: 'Several shares became one.',
  spin_off: 'Shareholders received shares of a part of the company.',
  merger: 'The company merged with another one or acquired it.',
  ticker_change: 'The share trades under another ticker.',
})

export const FrequencyType = describedEnum('DividendFrequency', 'How often a dividend of its kind is paid.', {
  monthly: 'Each month.',
  quarterly: 'Each quarter.',
  semi_annual: 'Twice a year.',
  annual: 'Once a year.',
  special: 'Once, outside the regular schedule.',
  unspecified: 'The source does not state it. The amount is the sum of all dividends of the day.',
})

export const CorporateActionType = builder.objectRef<Named<ShownAction>>('CorporateAction').implement({
  description: 'An event that changed the shares of a company.',
  fields: (t) =>
    shownFields(t, {
      ticker: text('Current ticker of the stock.'),
      action_type: shownAs(ActionTypeType)('Kind of the action.', 'actionType'),
      ex_date: day('First day on which the share trades after the action, or with the new ticker.', 'exDate'),
      ratio: number.orNull(
        'Shares after the action per share before it: 4 for a split of 4 to 1, 0.1 for a reverse split of 1 to 10. Null if unknown or not applicable.',
      ),
      value_ratio: number.orNull.inGraph(
        'Of a spin-off: value of a share after it per value before it, e.g. 0.8 if the part was a fifth of the value. Null if unknown, and for other actions.',
        'valueRatio',
      ),
      description: t.string({
        nullable: true,
        description: 'Description in words. Null if the source gives none.',
        resolve: ({ description, formerTicker, ticker }) =>
          formerTicker === null
            ? description
            : `The ticker ${formerTicker} was replaced. The current ticker is ${ticker}.`,
      }),
      former_ticker: text.orNull.inGraph(
        'Former ticker. Null unless action_type is ticker_change.',
        'formerTicker',
      ),
      source: text.inGraph('Provider of the data. `seed` marks synthetic data.'),
    }),
})

export const DividendType = withComputed<Named<ShownDividend>, 'Dividend'>(
  builder.prismaObject('Dividend', { description: 'A cash dividend of a share.' }),
)

builder.objectFields(DividendType, (t) =>
  shownFields(t, {
    ticker: text('Current ticker of the stock.'),
    ex_date: day('First day on which the share trades without the dividend.', 'exDate'),
    pay_date: day.orNull('Day of the payment. Null if unknown.', 'payDate'),
    amount: number('Amount per share before taxes, in `currency`. Not adjusted for splits after that day.'),
    currency: text('Currency of the amount (ISO 4217).'),
    frequency: shownAs(FrequencyType)('How often a dividend of its kind is paid.'),
    source: text.inGraph('Provider of the data. `seed` marks synthetic data.'),
  }),
)

/** Arguments of the events of one listing. */
const eventFilters = (arg: ArgBuilder) => ({ ...listingArguments(arg), ...asOfArguments(arg) })

const WHICH =
  'Newest first. A ticker that is listed on several markets needs `mic`. A former ticker gets a 404 that names the current one.'

listEndpoint('corporate_actions', {
  summary: 'Corporate actions of a stock',
  keywords: ['split', 'stock split', 'merger', 'spin-off', 'ticker change', 'renamed'],
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
    // The masters give changes of tickers, so the dataset of other actions may be missing.
    const state = context.datasets.get('corporate_actions') ?? datasetStateOf(context, 'instruments')
    const hasGap = actions.some(({ actionType, ratio }) => actionType.endsWith('split') && ratio === null)
    return { envelope: envelopeOfEvents(context, state, actions, hasGap), total }
  },
})

listEndpoint('dividends', {
  summary: 'Dividends of a stock',
  keywords: ['dividend', 'payout', 'ex-date', 'dividend yield'],
  description: `Cash dividends per share, paid or announced. ${WHICH}`,
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
