import type { RequestRate } from '../../core/request-rate.js'
import type { Sql } from '../database/database.js'
import { statement } from '../database/statement.js'

/** No honest queue is longer. After the clock of the database was set back, a time beyond this does not count. */
const LONGEST_QUEUE = 60

/** The longest time without requests, even if the provider asks for a longer one. */
export const MAX_REST_MS = 6 * 3_600_000

/** Requests without `maxWaitMs` wait so long for the end of a rest. Before a later end their jobs are tried again. */
const LONGEST_WAIT_FOR_REST_MS = 60_000

const WITHIN = { withinMs: 5_000 }

/** A time in which a provider gets no requests, because it blocks this address or asked for a pause. */
export interface ProviderRest {
  readonly until: Date
  /** The answer of the provider. */
  readonly cause: string
}

/** When a request may begin. */
export type Turn =
  /** The time is reserved for the caller. */
  | { readonly waitMs: number }
  /** The request would wait too long. `rest`: null if other requests use up the rate. */
  | { readonly retryAfterMs: number; readonly rest: ProviderRest | null }

/** The turns of requests to providers. */
export interface RequestTurns {
  reserve(rate: RequestRate): Promise<Turn>
  /** Ends turns for so long, at most `MAX_REST_MS`. A longer rest that has begun stays. */
  rest(provider: string, ms: number, cause: string): Promise<void>
}

/** `$n` milliseconds from now, on the clock of the database. */
const inMs = (ms: string) => `clock_timestamp() + ${ms} * interval '1 millisecond'`

/** The end of the rest of a provider; null without one, and for a time that a clock left behind. */
const REST_END = `case when p.rests_until > clock_timestamp() and p.rests_until <= ${inMs(`(${MAX_REST_MS} + 1000)`)}
  then p.rests_until end`

/** When the queue of a provider ends. `longest`: milliseconds of the longest queue. */
const queueEnd = (longest: string) =>
  `case when p.next_at > greatest(clock_timestamp(), ${REST_END}) + ${longest} * interval '1 millisecond'
   then clock_timestamp() else p.next_at end`

const msUntil = (time: string) => `extract(epoch from ${time} - clock_timestamp())::float8 * 1000`

/**
 * Plain SQL, one statement on the clock of the database: requests take turns, however much the clocks of the nodes differ. The
 * columns hold whole milliseconds, rounded, so a wait that is longer by less than one is not too long.
 */
const RESERVE = statement(
  'lacks clock of the database',
  { waitMs: 'float8', restMs: 'float8?' },
  `insert into venue_rate as p (venue, next_at) values ($1, ${inMs('$2')})
   on conflict (venue) do update
     set next_at = greatest(${queueEnd('$3')}, ${REST_END}, clock_timestamp()) + $2 * interval '1 millisecond'
   where ${queueEnd('$3')} < ${inMs('($4::float8 + 1)')} and coalesce(${REST_END} < ${inMs('($5::float8 + 1)')}, true)
   returning ${msUntil('next_at')} - $2 as "waitMs", ${msUntil(REST_END)} as "restMs"`,
)

/** Why a turn is refused. */
const REFUSAL = statement(
  'lacks clock of the database',
  { retryAfterMs: 'float8', restsUntil: 'timestamptz?', cause: 'text?' },
  `select ${msUntil(`greatest(${queueEnd('$2')} - $3 * interval '1 millisecond', ${REST_END})`)} as "retryAfterMs",
     ${REST_END} as "restsUntil", rest_cause as cause
   from venue_rate as p where venue = $1`,
)

const REST = `insert into venue_rate as p (venue, next_at, rests_until, rest_cause)
   values ($1, clock_timestamp(), ${inMs('$2')}, $3)
   on conflict (venue) do update set rests_until = excluded.rests_until, rest_cause = excluded.rest_cause
   where coalesce(${REST_END} < excluded.rests_until, true)`

const RESTS = statement(
  'lacks clock of the database',
  { provider: 'text', until: 'timestamptz', cause: 'text' },
  `select provider, until, cause from (
     select venue as provider, ${REST_END} as until, coalesce(rest_cause, 'unknown') as cause from venue_rate as p
   ) as r where until is not null order by provider`,
)

/**
 * The turns that all processes on the database share. A pause of 0 reserves nothing. Throws `service_unavailable` if the
 * database does not answer, so that no request is sent.
 */
export function requestTurns(sql: Sql): RequestTurns {
  return {
    reserve: async ({ provider, pauseMs, burst = 0, maxWaitMs }) => {
      if (pauseMs === 0) return { waitMs: 0 }
      const burstMs = burst * pauseMs
      const longestMs = LONGEST_QUEUE * pauseMs
      const restWaitMs = maxWaitMs ?? LONGEST_WAIT_FOR_REST_MS
      const queueMs = maxWaitMs === undefined ? restWaitMs + longestMs : burstMs + maxWaitMs
      const [turn] = await sql.rows(RESERVE, [provider, pauseMs, longestMs, queueMs, restWaitMs], WITHIN)
      if (turn !== undefined) return { waitMs: Math.max(0, turn.waitMs - burstMs, turn.restMs ?? 0) }
      const [refusal] = await sql.rows(REFUSAL, [provider, longestMs, burstMs], WITHIN)
      const { retryAfterMs = pauseMs, restsUntil: until = null, cause = null } = refusal ?? {}
      const rest = until === null ? null : { until, cause: cause ?? 'unknown' }
      return { retryAfterMs: Math.max(0, retryAfterMs), rest }
    },
    rest: async (provider, ms, cause) => {
      await sql.rows(REST, [provider, Math.min(ms, MAX_REST_MS), cause], WITHIN)
    },
  }
}

export interface RestingProvider extends ProviderRest {
  readonly provider: string
}

/** The providers that get no requests now, for operators. */
export function loadRestingProviders(sql: Sql): Promise<readonly RestingProvider[]> {
  return sql.rows(RESTS)
}
