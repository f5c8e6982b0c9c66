import type { TradingCalendar, TradingSession } from '../../core/calendars/trading-calendar.js'
import { builder } from '../../schema-kit/builder.js'
import { hints, queryEndpoint, type Types } from '../../schema-kit/fields.js'
import { day, flag, instant, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import {
  type CalendarSessions,
  dayCountOf,
  getCalendarSessions,
  listCalendars,
  MAX_DAYS,
  parseCalendarQuery,
} from './service.js'

const SessionType = builder.objectRef<TradingSession>('TradingSession').implement({
  description: 'A day on which a market is open.',
  fields: (t) =>
    shownFields(t, {
      date: day('The day in the time zone of the market.'),
      opens_at: instant.orNull(
        'When trading begins, UTC. Null for TARGET, which has business days without trading hours.',
        'opensAt',
      ),
      closes_at: instant.orNull(
        'When trading ends, UTC. A lunch break is not shown. Null for TARGET.',
        'closesAt',
      ),
      is_late_open: flag('Whether trading begins later than usual.', 'isLateOpen'),
      is_early_close: flag('Whether trading ends earlier than usual.', 'isEarlyClose'),
    }),
})

const coverageFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, TradingCalendar>) =>
  shownFields(t, {
    code: text('Market identifier code (ISO 10383), or TARGET for the payment system of the Eurosystem.'),
    name: text('Name of the market.'),
    time_zone: text('IANA time zone of the market.', 'timeZone'),
    covers_from: day('First day that the calendar covers.', 'coversFrom'),
    covers_to: day('Last day that the calendar covers.', 'coversTo'),
    verified_from: t.field({
      type: 'Date',
      nullable: true,
      description:
        'From this day to verified_to every session was compared with recorded sessions of the market. Null if none were compared.',
      resolve: ({ verified }) => verified?.from ?? null,
    }),
    verified_to: t.field({
      type: 'Date',
      nullable: true,
      description:
        'Last compared day. Later days follow the published rules; an unscheduled closure, late open or early close after this day may be missing. Null if none were compared.',
      resolve: ({ verified }) => verified?.to ?? null,
    }),
    source: text('Where the rules of the calendar are published.'),
  })

const EntryType = builder.objectRef<TradingCalendar>('CalendarEntry').implement({
  description: 'A trading calendar and the days that it covers.',
  fields: coverageFields,
})

const CalendarType = builder.objectRef<CalendarSessions>('Calendar').implement({
  description: 'A trading calendar with its sessions on the requested days.',
  fields: (t) =>
    shownFields(t, {
      ...coverageFields(t),
      sessions: shownAs([SessionType])('Every session of the requested days, oldest first.'),
    }),
})

interface CalendarList {
  readonly data: readonly TradingCalendar[]
}

const CalendarListType = builder.objectRef<CalendarList>('CalendarList').implement({
  description: 'All trading calendars.',
  fields: (t) =>
    shownFields(t, {
      data: shownAs([EntryType])('TARGET first, then the exchanges by code.'),
      total: t.int({ description: 'Number of calendars.', resolve: ({ data }) => data.length }),
    }),
})

queryEndpoint('calendars', {
  summary: 'Trading calendars and their coverage',
  keywords: ['holidays', 'exchanges', 'markets', 'trading days'],
  description:
    'The calendars of TARGET and of the exchanges of the instrument master. Each names its rules, the days that it covers and the days that were compared with recorded sessions.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/calendars', tag: 'calendars', table: { rows: 'data', total: 'total' } },
  reads: [],
  type: CalendarListType,
  check: () => null,
  resolve: () => ({ data: listCalendars() }),
})

queryEndpoint('calendar', {
  summary: 'Sessions of a market',
  keywords: [
    'holidays',
    'trading hours',
    'market open',
    'stock exchange open on a day',
    'Christmas',
    'market closed',
    'half day',
    'early close',
    'late open',
    'business days',
  ],
  description:
    'Sessions of one market with their opening and closing times in UTC, also on days with a late open or an early close. Days outside its coverage are a 422, so an empty list always means that the market is closed on all requested days.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/calendars/{code}', tag: 'calendars', table: { rows: 'sessions' } },
  // Null, because the default of `from` depends on the clock.
  reads: null,
  errors: ['not_found'],
  type: CalendarType,
  args: (arg) => ({
    code: arg.string({
      required: true,
      description: 'Market identifier code or TARGET, upper or lower case.',
      ...hints({ example: 'XNYS', maxLength: 20 }),
    }),
    from: arg({
      type: 'Date',
      description: 'First day.',
      ...hints({
        example: '2026-11-01',
        defaultText: '1 January of the year of `to`, otherwise of this year',
      }),
    }),
    to: arg({
      type: 'Date',
      description: `Last day, at most ${MAX_DAYS} days after \`from\`.`,
      ...hints({ example: '2026-12-31', defaultText: '31 December of the year of `from`' }),
    }),
  }),
  check: (args, context) => parseCalendarQuery(args, context),
  rows: dayCountOf,
  resolve: getCalendarSessions,
})
