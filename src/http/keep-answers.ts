import type { IncomingMessage } from 'node:http'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { AnswerCache } from '../platform/answer-cache.js'
import type { AnswerLife } from '../platform/answer-life.js'
import { stampIn } from '../platform/data-version.js'
import type { DoorContext } from '../platform/door-context.js'
import { dataVersionOf, type KeptFacts } from '../platform/kept-answer.js'
import { entityTag } from './entity-tag.js'
import type { Flights } from './flights.js'
import { keyOf, type Question, questionOf } from './question.js'

/** Whoever shows other credentials may get another answer, and so may who accepts another type. */
export const VARY = 'Accept, X-API-Key, Authorization'

/** Headers of an answer that are the same each time it is given. */
const LASTING_HEADERS: ReadonlySet<string> = new Set(['content-type', 'link'])

export interface KeepingOptions {
  readonly cache: AnswerCache
  readonly flights: Flights
}

interface Place {
  /** Null without a socket. */
  readonly question: Question | null
  readonly key: string | null
  /** All headers of the answer so far, names in lower case and values in turn. */
  readonly headers: readonly string[]
}

/**
 * What an answer that is made from datasets tells of itself: how long it holds, and which versions it was made from.
 * Where nothing changed while it was made it is kept. Empty for other answers.
 */
export function keepMade(
  { cache, flights }: KeepingOptions,
  { made, json, principal, now }: DoorContext,
  status: number,
  { question, key, headers }: Place,
): readonly string[] {
  if (!made || json === null || status !== 200 || principal.kind === 'anonymous') return []
  const { reads, datasets, life, units } = made
  const isTagged = key !== null && question?.isGet === true
  const facts: KeptFacts = {
    stamps: reads.map((name) => [name, stampIn(datasets, name)] as const),
    endsAtMs: Number.isFinite(life.endsAtMs) ? life.endsAtMs : null,
    refreshAtMs: Number.isFinite(life.refreshAtMs) ? life.refreshAtMs : null,
    etag: isTagged ? entityTag(key, { reads, ...timesOf(life) }, datasets) : null,
    headers: lasting(headers),
    fields: units,
  }
  if (key !== null && made.isSteady && cache.isKeeping) {
    cache.keep(key, { ...facts, json, madeAtMs: now.getTime(), observedMs: [...life.observedMs] })
    // Who waits for it need not wait until the first client has taken it.
    flights.land(key)
  }
  return headersOf({ ...facts, dataVersion: dataVersionOf(facts) }, now)
}

function timesOf({ endsAtMs, refreshAtMs }: AnswerLife) {
  return Number.isFinite(refreshAtMs) ? { endsAtMs, refreshAtMs } : { endsAtMs }
}

function lasting(headers: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (LASTING_HEADERS.has(name)) kept.push(name, headers[at + 1] ?? '')
  }
  return kept
}

/** The same for answers that leave by the doors; runs before headers of the request itself are added. */
export function useKeepAnswers(options: KeepingOptions): DoorPlugin {
  return {
    onResponse({ response, serverContext }) {
      const door = serverContext as DoorContext & { readonly req?: IncomingMessage } // node's, where there is a socket
      if (door.made === null || door.made === undefined) return
      const question = door.req ? questionOf(door.req) : null
      const key =
        question === null || door.principal.kind === 'anonymous' ? null : keyOf(question, door.principal)
      const headers = [...response.headers].flat()
      const told = keepMade(options, door, response.status, { question, key, headers })
      // What lets pages of other origins read it has spoken before, and still holds.
      const isByOrigin = response.headers.get('vary')?.includes('Origin') === true
      for (let at = 0; at < told.length; at += 2) response.headers.set(told[at] ?? '', told[at + 1] ?? '')
      if (isByOrigin && response.headers.get('vary') === VARY) response.headers.append('vary', 'Origin')
    },
  }
}

/** What an answer says of its own life, header names and values in turn; a kept or revalidated one says the same. */
export function headersOf(
  facts: Pick<KeptFacts, 'etag' | 'endsAtMs' | 'refreshAtMs'> & { readonly dataVersion: string },
  now: Date,
): readonly string[] {
  const { etag, dataVersion } = facts
  if (etag === null) return ['x-data-version', dataVersion]
  return ['x-data-version', dataVersion, 'etag', etag, 'cache-control', lifetimeOf(facts, now), 'vary', VARY]
}

function lifetimeOf(
  { refreshAtMs, endsAtMs }: Pick<KeptFacts, 'endsAtMs' | 'refreshAtMs'>,
  now: Date,
): string {
  const nowMs = now.getTime()
  const untilMs = Math.min(refreshAtMs ?? nowMs, endsAtMs ?? Number.POSITIVE_INFINITY)
  return `private, max-age=${Math.max(0, Math.floor((untilMs - nowMs) / 1000))}`
}
