import type { DatasetName } from '../../core/datasets.js'
import { AUCTION_MINUTES, marketCloses } from './market-closes.js'

/** SQL that is true for a row of a table that its publisher had made known at an instant. */
type IsPublished = (row: string, instant: string) => string

/** The rule by which the publisher of a table made its rows known. */
export interface PublishedRule {
  readonly table: string
  /** The columns that all versions of a row share. */
  readonly key: readonly string[]
  readonly isPublished: IsPublished
  /**
   * Whether each version states when it was published. Otherwise the rule gives the instant of the first version, and a later one
   * counts from when this gateway learned it.
   */
  readonly isOfVersion: boolean
}

/**
 * SQL of the instant at which the first version of a rate was published: in the afternoon in Frankfurt. The ECB writes "CET" all year, but
 * observes summer time. Until 2016 it was earlier.
 */
export function forexPublishedAt(row: string): string {
  return `(${row}.date + interval '16 hours') at time zone 'Europe/Berlin'`
}

export const FOREX_PUBLISHED: PublishedRule = {
  table: 'forex_rate',
  key: ['quote', 'date'],
  // The first condition bounds the search in the index.
  isPublished: (row, instant) =>
    `${row}.date <= (${instant} at time zone 'Europe/Berlin')::date and ${forexPublishedAt(row)} <= ${instant}`,
  isOfVersion: false,
}

/** How long after its end a window is published at the latest: so long it waits for an exchange that is behind. */
export const CANDLE_DELAY_MINUTES = 15

export const CANDLE_PUBLISHED: PublishedRule = {
  table: 'candle',
  key: ['asset_id', 'timeframe', 'ts'],
  // The first condition bounds the search in the index.
  isPublished: (row, instant) =>
    `${row}.ts <= ${instant} and ${row}.ts <= ${instant} - interval '${CANDLE_DELAY_MINUTES} minutes'
      - case ${row}.timeframe when '1d' then interval '1 day' else interval '1 hour' end`,
  isOfVersion: false,
}

/** The end of the closing auction. Half days count until the usual end, days of a market without a calendar until they end everywhere. */
export const PRICE_PUBLISHED: PublishedRule = {
  table: 'daily_price',
  key: ['instrument_id', 'date', 'source'],
  isPublished: (row, instant) =>
    `${row}.date <= (${instant} at time zone 'UTC')::date and ${instant} >= coalesce(
      (select case ${marketCloses(`${row}.date`, 'traded.mic')} end
        from instrument as traded where traded.instrument_id = ${row}.instrument_id),
      (${row}.date + interval '36 hours') at time zone 'UTC')`,
  isOfVersion: false,
}

/** The end of the day of the filing in New York. Reports of other providers state no day. */
export const ETF_PUBLISHED: PublishedRule = {
  table: 'etf_report',
  key: ['asset_id', 'as_of', 'source', 'status'],
  isPublished: (row, instant) =>
    `((${row}.published_at at time zone 'UTC')::date + interval '1 day') at time zone 'America/New_York' <= ${instant}`,
  isOfVersion: true,
}

/** The rules of the datasets that have one, as users read them; the guide Point in time names their sources. Rows of others have none. */
export const PUBLISHED_RULES: Partial<Record<DatasetName, string>> = {
  candles: `${CANDLE_DELAY_MINUTES} minutes after the end of the window: so long the consensus waits for an exchange that is behind.`,
  etf: 'Reports filed with the SEC (Form N-PORT): the end of the day of filing in New York. Reports of issuers and of the operator: none.',
  filings: 'The day of filing: choose it by report_date.',
  forex: '16:00 in Frankfurt on the day of the rate, with summer time.',
  prices: `${AUCTION_MINUTES} minutes after the usual end of the session by the calendar of the market, also on half days. Markets or years without a calendar: 12:00 UTC of the next day.`,
}
