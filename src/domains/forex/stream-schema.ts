import { encodeRevisionCursor, FOLLOWED_DAYS } from '../../platform/request/revision-cursor.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, subscriptionEndpoint } from '../../schema-kit/fields.js'
import { cursorArgument } from '../../schema-kit/shared-arguments.js'
import { FOREX_BASE } from './model.js'
import { checkRatesStream, openRatesStream, type RateEvent } from './stream-service.js'

const RateEventType = builder.objectRef<RateEvent>('ForexRateEvent').implement({
  description: 'A euro reference rate, sent when it becomes known.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    cursor: t.string({
      description: 'Give it as `cursor` to go on after this rate.',
      resolve: (event) => encodeRevisionCursor(event),
    }),
    base: t.string({ description: 'Base currency: EUR.', resolve: () => FOREX_BASE }),
    quote: t.exposeString('quote', { description: 'Quote currency (ISO 4217).' }),
    date: t.expose('date', { type: 'Date', description: 'Publication day.' }),
    rate: t.exposeFloat('rate', { description: 'Units of the quote currency per EUR, as published.' }),
    known_from: t.expose('knownFrom', { type: 'DateTime', description: 'When it became known here.' }),
    source: t.string({
      description: 'Provider of the rates: ecb, or seed for synthetic ones.',
      resolve: (_event, _args, context) => datasetStateOf(context, 'forex').source,
    }),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the rates are.',
      resolve: (_event, _args, context) => freshness(context, datasetStateOf(context, 'forex'), 'forex'),
    }),
  }),
})

subscriptionEndpoint('forex', {
  summary: 'Follow exchange rates',
  description: `Euro reference rates as they become known: those of a new day, and revisions of the last ${FOLLOWED_DAYS} days, each once, in the order in which they became known. After a lost connection give the cursor of the last event: nothing is lost or repeated. Over server-sent events or a WebSocket; ten subscriptions at a time per account.`,
  access: 'caller',
  cost: 'metered',
  errors: ['service_unavailable'],
  type: RateEventType,
  args: (arg) => ({
    quote: arg.stringList({
      description: 'Only these currencies (ISO 4217); left out: all.',
      ...hints({ example: ['USD'] }),
    }),
    cursor: cursorArgument(
      arg,
      `Cursor of the last event received, at most ${FOLLOWED_DAYS} days old; left out: only rates from now on.`,
    ),
  }),
  check: (args, context) => checkRatesStream(args, context),
  subscribe: (query, context) => openRatesStream(query, context),
})
