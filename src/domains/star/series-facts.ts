import { MACRO_PROVIDERS } from '../macro/model.js'
import { assetId, dayNumber, type StarColumn, type StarTable, trimmed } from './table.js'

const day = (text: string, sql: string): StarColumn => ({ type: 'date', text, sql })

/** It refers to no dimension, because series begin before dim_date does. */
const dateKey = (sql: string): StarColumn => ({
  type: 'int',
  text: 'The day as YYYYMMDD: its key in dim_date, which begins on 2009-01-03.',
  sql: dayNumber(sql),
})

const SOURCE = (sql: string): StarColumn => ({
  type: 'text',
  text: 'Provider of the row. seed marks synthetic data.',
  sql,
})

export const FACT_EURO_RATE: StarTable = {
  view: 'fact_euro_rate',
  kind: 'fact',
  text: 'Euro reference rate of a currency on a publication day, as it is known now.',
  key: ['quote', 'rate_date'],
  columns: {
    quote: { type: 'text', text: 'Currency (ISO 4217).', sql: 'r.quote' },
    rate_date: day('Day of the publication.', 'r.date'),
    date_key: dateKey('r.date'),
    rate: {
      type: 'numeric',
      text: 'Units of the currency per 1 EUR.',
      sql: trimmed('r.rate'),
      rule: 'value > 0',
    },
    source: SOURCE('r.source'),
  },
  from: 'from forex_rate as r\n  where r.known_to is null',
  reads: ['forex'],
}

export const FACT_MACRO_OBSERVATION: StarTable = {
  view: 'fact_macro_observation',
  kind: 'fact',
  text: 'Value of a macroeconomic series in a period, as it is known now.',
  key: ['provider', 'dataset', 'series_key', 'period_start'],
  columns: {
    provider: { type: 'text', text: 'Publisher of the series, such as bis.', sql: 's.provider' },
    dataset: { type: 'text', text: 'Dataset of the publisher, such as WS_TC.', sql: 's.dataset' },
    series_key: { type: 'text', text: 'Key of the series in its dataset.', sql: 's.series_key' },
    country: {
      type: 'text',
      isNullable: true,
      text: 'Country or group of countries, by the code of the publisher. Null if the series has none.',
      sql: 's.country',
    },
    frequency: { type: 'text', text: 'Length of a period, such as quarterly.', sql: 's.frequency' },
    unit: { type: 'text', isNullable: true, text: 'Unit of the value. Null if not stated.', sql: 's.unit' },
    period_start: day('First day of the period.', 'o.period_start'),
    date_key: dateKey('o.period_start'),
    value: {
      type: 'numeric',
      isNullable: true,
      text: 'Value in `unit`. Null if the publisher lists the period without a value.',
      sql: trimmed('o.value'),
    },
    source: SOURCE('s.source'),
  },
  from:
    'from macro_observation as o\n  join macro_series as s on s.series_id = o.series_id\n' +
    '  where o.known_to is null and not o.is_withdrawn',
  reads: MACRO_PROVIDERS,
}

export const FACT_DAILY_CLOSE: StarTable = {
  view: 'fact_daily_close',
  kind: 'fact',
  text: 'Closing price of a stock or ETF on a trading day, as traded and as it is known now.',
  key: ['asset_id', 'ticker', 'mic', 'price_date'],
  columns: {
    asset_id: assetId('i.asset_id'),
    ticker: { type: 'text', text: 'Ticker of the listing.', sql: 'i.ticker' },
    mic: {
      type: 'text',
      isNullable: true,
      text: 'Market of the listing (ISO 10383). Null if it is not known.',
      sql: 'i.mic',
    },
    price_date: day('Trading day.', 'p.date'),
    date_key: dateKey('p.date'),
    close: {
      type: 'numeric',
      text: 'Closing price of one share in `currency`, not adjusted for later splits.',
      sql: trimmed('p.close'),
    },
    volume: {
      type: 'bigint',
      isNullable: true,
      text: 'Shares traded on the day. Null if the source does not state it.',
      sql: 'p.volume',
    },
    currency: { type: 'text', text: 'Currency of the price (ISO 4217).', sql: 'p.currency' },
    source: SOURCE('p.source'),
  },
  from: 'from daily_price as p\n  join instrument as i on i.instrument_id = p.instrument_id\n  where p.known_to is null',
  reads: ['prices', 'instruments'],
}
