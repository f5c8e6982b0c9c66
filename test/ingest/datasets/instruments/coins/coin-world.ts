import { fixedClock } from '../../../../../src/core/time.js'
import { findFeed } from '../../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../../src/platform/database/database.js'
import { createLogger } from '../../../../../src/platform/logger.js'

export const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken', 'okx'] as const

export type ListedVenue = (typeof VENUES)[number]

/** A coin in the list of a venue. */
export interface MadePair {
  readonly ticker: string
  readonly name?: string
  readonly quote?: string
  readonly isHalted?: boolean
}

/** Coins that every list has and no test changes, so that a few missing ones do not look like a list that is cut off. */
const OTHERS: readonly MadePair[] = Array.from({ length: 30 }, (_, at) => ({
  ticker: `OTHER${at}`,
  name: `Other ${at}`,
}))

const BODIES: Readonly<Record<ListedVenue, (pairs: readonly MadePair[]) => unknown>> = {
  binance: (pairs) => ({
    symbols: pairs.map(({ ticker, quote = 'USDT', isHalted }) => ({
      symbol: ticker + quote,
      status: isHalted ? 'BREAK' : 'TRADING',
      baseAsset: ticker,
      quoteAsset: quote,
      isSpotTradingAllowed: true,
    })),
  }),
  bitstamp: (pairs) =>
    pairs.map(({ ticker, name, quote = 'USD', isHalted }) => ({
      name: `${ticker}/${quote}`,
      url_symbol: (ticker + quote).toLowerCase(),
      trading: isHalted ? 'Disabled' : 'Enabled',
      description: `${name ?? ticker} / U.S. dollar`,
    })),
  coinbase: (pairs) =>
    pairs.map(({ ticker, quote = 'USD', isHalted }) => ({
      id: `${ticker}-${quote}`,
      base_currency: ticker,
      quote_currency: quote,
      status: isHalted ? 'delisted' : 'online',
    })),
  kraken: (pairs) => ({
    error: [],
    result: Object.fromEntries(
      pairs.map(({ ticker, quote = 'USD', isHalted }) => [
        ticker + quote,
        {
          altname: ticker + quote,
          wsname: `${ticker}/${quote}`,
          status: isHalted ? 'cancel_only' : 'online',
        },
      ]),
    ),
  }),
  okx: (pairs) => ({
    code: '0',
    data: pairs.map(({ ticker, quote = 'USDT', isHalted }) => ({
      instId: `${ticker}-${quote}`,
      baseCcy: ticker,
      quoteCcy: quote,
      state: isHalted ? 'suspend' : 'live',
    })),
  }),
}

/** The body of a venue's list with these pairs, and with those that no test changes. */
export function listOf(venue: ListedVenue, pairs: readonly MadePair[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(BODIES[venue]([...pairs, ...OTHERS])))
}

/** Reads lists into a database. */
export function coinLists(database: Database) {
  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T09:45:00Z`)),
    log: createLogger('silent'),
    fetchBody: () => Promise.reject(new Error('nothing is fetched')),
  })
  const runBytes = (day: string, venue: ListedVenue, bytes: Uint8Array) =>
    runFeed(deps(day), findFeed(`${venue}-listings`), { kind: 'bytes', bytes, origin: 'test' })
  return {
    runBytes,
    runReference: (day: string) => {
      const bound = findFeed('reference')
      return runFeed(deps(day), bound, usualSourceOf(bound.feed))
    },
    /** The lists of a day; a venue without pairs has only those that no test changes. */
    runLists: async (day: string, lists: Partial<Readonly<Record<ListedVenue, readonly MadePair[]>>>) => {
      for (const venue of VENUES) await runBytes(day, venue, listOf(venue, lists[venue] ?? []))
    },
  }
}
