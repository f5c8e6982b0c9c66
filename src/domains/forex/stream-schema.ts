import { encodeRevisionCursor, FOLLOWED_DAYS } from '../../platform/request/revision-cursor.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, subscriptionEndpoint } from '../../schema-kit/fields.js'
import { storedDay } from '../../schema-kit/model-rows.js'
import { cursorArgument } from '../../schema-kit/shared-arguments.js'
import { day, instant, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { FOREX_BASE, rateKey } from './model.js'
import { checkRatesStream, openRatesStream } from './stream-service.js'

const RateEventType = builder.prismaObject('ForexRate', {
  variant: 'ForexRateEvent',
  select: { quote: true, date: true, rate: true, knownFrom: true },
  description: 'A euro reference rate, sent when it becomes known.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      cursor: t.string({
        description: 'Pass it as `cursor` to continue after this rate.',
        resolve: ({ date, quote, knownFrom }) =>
          encodeRevisionCursor({ knownFrom, key: rateKey({ quote, date: storedDay(date) }) }),
      }),
      base: t.string({ description: 'Base currency: EUR.', resolve: () => FOREX_BASE }),
      quote: text('Quote currency (ISO 4217).'),
      date: day('Publication day.'),
      rate: number('Units of the quote currency per EUR, as published.'),
      known_from: instant('Time from which this service knew the rate.', 'knownFrom'),
      source: t.string({
        description: 'Provider of the rates: ecb, or seed for synthetic rates.',
        resolve: (_event, _args, context) => datasetStateOf(context, 'forex').source,
      }),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the rates.',
        resolve: (_event, _args, context) => freshness(context, datasetStateOf(context, 'forex'), 'forex'),
      }),
    }),
})

subscriptionEndpoint('forex', {
  summary: 'Follow exchange rates',
  description: `Sends euro reference rates when they become known: rates of a new day, and revisions of the last ${FOLLOWED_DAYS} days. Each is sent once, in the order in which they became known. After a lost connection pass the cursor of the last event to continue without a gap or a repetition. Available over server-sent events and WebSocket. An account can have ten subscriptions at a time.`,
  access: 'caller',
  cost: 'metered',
  errors: ['service_unavailable'],
  type: RateEventType,
  args: (arg) => ({
    quote: arg.stringList({
      description: 'Only these currencies (ISO 4217); by default all.',
      ...hints({ example: ['USD'] }),
    }),
    cursor: cursorArgument(
      arg,
      `Cursor of the last event received, at most ${FOLLOWED_DAYS} days old. Without it only rates from now on are sent.`,
    ),
  }),
  check: (args, context) => checkRatesStream(args, context),
  subscribe: (query, context) => openRatesStream(query, context),
})
