import { endOfDay } from '../../../core/time.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import { createAskVenue, type VenueHarvest } from '../ask-venue.js'
import { type DayAnswer, type DaySource, toDayAnswer } from './day-source.js'

/** Days of a venue from its API, one request at a time, at the venue's rate. */
export function venueSource(http: HttpClient, adapter: VenueAdapter): DaySource {
  const ask = createAskVenue(http, adapter)
  return {
    venue: adapter.venue,
    provider: adapter.provider,
    ask: async ({ day, ...question }) => {
      const harvest = await ask({ ...question, from: day, to: endOfDay(day) })
      const answer = answerOf(harvest)
      const { bars, read, rejections, requests } = harvest
      const absent = harvest.absent + (answer.kind === 'bars' ? 0 : bars.length)
      return { answer, read, rejections, absent, requests }
    },
  }
}

function answerOf({
  bars,
  isListed,
  isOut,
  retryAfterMs,
  requests,
  answers,
  rejections,
}: VenueHarvest): DayAnswer {
  if (!isListed) return { kind: 'not_listed' }
  if (answers === requests) return toDayAnswer(bars, rejections)
  const reason = rejections.at(-1)?.reason ?? 'no answer'
  return { kind: 'incomplete', reason, isOut, retryAfterMs }
}
