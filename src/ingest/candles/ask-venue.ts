import { sha256Hex } from '../../core/canonical-json.js'
import {
  pairOnDay,
  type TradedAsset,
  type Venue,
  type VenuePair,
} from '../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../core/consensus/venue-vwap.js'
import type { Provider } from '../../core/providers.js'
import { toIsoDate } from '../../core/time.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { redactUrl } from '../../platform/http-client/redact-url.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { BrokenBody, type FeedRequest } from '../feed.js'
import { isSameBar } from '../providers/exchanges/minute-bar.js'
import type { AnswerContext, VenueAdapter } from '../providers/exchanges/venue-adapter.js'
import { VenueOut } from '../providers/exchanges/venue-error.js'
import { venueRequestRate } from '../providers/exchanges/venue-request-rate.js'
import { errorText, type Rejection } from '../run/ledger.js'

/** A request may take as long as the next candle. */
const TIMEOUT_MS = 15_000

/** The longest page, 1,000 bars of Binance, has 180 KB. */
const MAX_BYTES = 4 * 1024 * 1024

/** The answers of a venue about one asset. */
export interface VenueHarvest {
  readonly venue: Venue
  readonly provider: Provider
  /** Final bars that start in the requested span, by time. */
  readonly bars: readonly VenueBar[]
  /** Rows that are not bars and answers that could not be read, by asset and position. */
  readonly rejections: readonly Rejection[]
  /** Rows of all answers, plus answers that could not be read: bars + rejections + absent. */
  readonly read: number
  /** Rows outside the span, not final, or equal to an earlier one. */
  readonly absent: number
  readonly requests: number
  /** Answers that could be read, including those for a pair that is not listed. */
  readonly answers: number
  /** Whether every request was answered and every answer could be read. */
  readonly isWhole: boolean
  readonly isListed: boolean
  /**
   * The venue did not answer, throttled or refused the request, or sent an HTML page. The remaining pages are not
   * requested; the caller decides when to try again.
   */
  readonly isOut: boolean
  /** The pause that the venue asked for, or until its rest ends or its circuit closes; null without any. */
  readonly retryAfterMs: number | null
  /** Hash and size of each body. */
  readonly bodies: readonly { readonly sha256: string; readonly bytes: number }[]
}

export interface VenueQuestion extends TradedAsset {
  readonly slug: string
  readonly from: Date
  readonly to: Date
  readonly now: Date
}

/** Sends requests to one venue, one at a time, at its rate. Throws only for errors of the gateway. */
export type AskVenue = (question: VenueQuestion) => Promise<VenueHarvest>

export function createAskVenue(http: HttpClient, adapter: VenueAdapter): AskVenue {
  // Without retries: the lane decides when the venue is asked again.
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, retries: 0 }
  const rate = venueRequestRate(adapter.venue)
  const fetchAnswer = (harvest: OpenHarvest, { url, headers }: FeedRequest) => {
    harvest.requests += 1
    return http.request({ url, headers, ...limits, rate })
  }
  return async (question) => {
    const harvest = newHarvest()
    const pair = pairOnDay(adapter.venue, question, toIsoDate(question.from))
    const requests = pair === null ? [] : adapter.request({ pair, ...question })
    for (const request of requests) {
      if (pair === null || !harvest.isListed || harvest.isOut) break
      try {
        const response = await fetchAnswer(harvest, request)
        harvest.bodies.push({ sha256: sha256Hex(response.body), bytes: response.body.length })
        const proof = adapter.proof?.(request, response)
        if (proof !== undefined) proof.assert(await fetchAnswer(harvest, proof.request))
        take(harvest, adapter, { ...response, url: request.url }, { pair, question })
      } catch (error) {
        rejectAnswer(harvest, error, `${question.slug}, ${redactUrl(request.url)}`)
      }
    }
    return {
      ...harvest,
      bars: barsByTime(harvest),
      venue: adapter.venue,
      provider: adapter.provider,
      isListed: pair !== null && harvest.isListed,
    }
  }
}

type OpenHarvest = ReturnType<typeof newHarvest>

function newHarvest() {
  return {
    /** By time; null if pages contradict each other. */
    bars: new Map<number, VenueBar | null>(),
    rejections: [] as Rejection[],
    bodies: [] as { readonly sha256: string; readonly bytes: number }[],
    read: 0,
    absent: 0,
    requests: 0,
    answers: 0,
    isWhole: true,
    isListed: true,
    retryAfterMs: null as number | null,
    isOut: false,
  }
}

function take(
  harvest: OpenHarvest,
  adapter: VenueAdapter,
  { body, ...response }: Pick<AnswerContext, 'status' | 'url'> & { readonly body: Uint8Array },
  { pair, question }: { readonly pair: VenuePair; readonly question: VenueQuestion },
): void {
  const { slug, from, to, now } = question
  const answer = adapter.parse(body, { pair, ...response, now })
  harvest.answers += 1
  if (answer.kind === 'not_listed') {
    harvest.isListed = false
    return
  }
  harvest.read += answer.items.length + answer.absent
  harvest.absent += answer.absent
  for (const item of answer.items) {
    if (item.kind === 'rejected') {
      const page = `page ${harvest.bodies.length}, ${item.position}`
      harvest.rejections.push({ position: `${slug}, ${page}`, reason: item.reason })
    } else if (item.row.ts >= from && item.row.ts < to) {
      takeBar(harvest, item.row, slug)
    } else harvest.absent += 1
  }
}

/** Pages may overlap: an equal bar counts once, and bars that differ do not count. */
function takeBar(harvest: OpenHarvest, bar: VenueBar, slug: string): void {
  const ms = bar.ts.getTime()
  const earlier = harvest.bars.get(ms)
  if (earlier === undefined) {
    harvest.bars.set(ms, bar)
    return
  }
  if (earlier !== null && isSameBar(earlier, bar)) {
    harvest.absent += 1
    return
  }
  harvest.bars.set(ms, null)
  const position = (page: string) => `${slug}, ${page}, ${bar.ts.toISOString()}`
  const reason = 'two pages have the minute with different figures; neither is used'
  harvest.rejections.push({ position: position(`page ${harvest.bodies.length}`), reason })
  if (earlier !== null) harvest.rejections.push({ position: position('an earlier page'), reason })
}

function barsByTime({ bars }: OpenHarvest): readonly VenueBar[] {
  return [...bars.values()].filter((bar) => bar !== null).sort((a, b) => a.ts.getTime() - b.ts.getTime())
}

/** A bad page does not discard the good ones. */
function rejectAnswer(harvest: OpenHarvest, error: unknown, position: string): void {
  if (!(error instanceof BrokenBody) && !(error instanceof UpstreamError)) throw error
  harvest.read += 1
  harvest.isWhole = false
  harvest.rejections.push({ position, reason: errorText(error) })
  if (error instanceof UpstreamError) harvest.retryAfterMs = error.retryAfterMs
  harvest.isOut = error instanceof VenueOut || (error instanceof UpstreamError && error.kind !== 'too_large')
}
