import { FIGURE_NAMES } from '../filings/figures/figure-rules-model.js'
import { FIGURE_TEXTS } from '../filings/figures/figure-texts-model.js'
import { isCurrentPreferredPrice } from '../instruments/preferred-price-model.js'
import { MACRO_PROVIDERS } from '../macro/model.js'
import { assetId, dayNumber, methodologyVersion, type StarColumn, type StarTable, trimmed } from './table.js'

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

const FACT_EURO_RATE: StarTable = {
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

const FACT_MACRO_OBSERVATION: StarTable = {
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

const FACT_DAILY_CLOSE: StarTable = {
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
  from: `from daily_price as p\n  join instrument as i on i.instrument_id = p.instrument_id\n  where ${isCurrentPreferredPrice('p')}`,
  reads: ['prices', 'instruments'],
}

const FACT_COMPANY_PERIOD: StarTable = {
  view: 'fact_company_period',
  kind: 'fact',
  text: 'Figures of a company in a fiscal year, a quarter or twelve months, from the latest filing that states each, or computed from such amounts.',
  key: ['cik', 'period', 'period_end'],
  columns: {
    cik: { type: 'text', text: 'SEC central index key of the company, 10 digits.', sql: 'p.cik' },
    tickers: {
      type: 'text[]',
      text: 'Tickers of the listings of its stocks. Empty if the gateway lists none.',
      sql: "coalesce(l.tickers, '{}')",
    },
    period: {
      type: 'text',
      text: 'Kind of the period: year, quarter or ttm (the twelve months that end with a quarter).',
      sql: 'p.period',
      values: ['year', 'quarter', 'ttm'],
    },
    period_start: {
      type: 'date',
      isNullable: true,
      text: 'First day of the period. Null if no amount of the period is known.',
      sql: 'p.period_start',
    },
    period_end: day('Last day of the period.', 'p.period_end'),
    date_key: dateKey('p.period_end'),
    is_latest: {
      type: 'boolean',
      text: 'Whether no later period of this kind has a report.',
      sql: 'p.is_latest',
    },
    filing_type: {
      type: 'text',
      text: 'Type of the latest report for the period, e.g. 10-K.',
      sql: 'p.form',
    },
    accession_number: { type: 'text', text: 'Accession number of that report.', sql: 'p.accession' },
    filed_date: day('Day on which that report was filed.', 'p.filed'),
    ...Object.fromEntries(
      FIGURE_NAMES.map((name) => [
        name,
        {
          type: 'numeric',
          isNullable: true,
          text: `${FIGURE_TEXTS[name]} Null if the filings do not state it completely.`,
          sql: trimmed(`p.${name}`),
        } satisfies StarColumn,
      ]),
    ),
    methodology_version: methodologyVersion('p.methodology_version'),
    source: SOURCE('p.source'),
  },
  from:
    'from company_period as p\n  left join (\n' +
    '    select i.cik, array_agg(distinct i.ticker order by i.ticker) as tickers from instrument as i\n' +
    "    join asset as a on a.asset_id = i.asset_id and a.asset_class = 'stock' where i.cik is not null group by i.cik\n" +
    '  ) as l on l.cik = p.cik',
  reads: ['filings', 'instruments'],
}

/** Series that are served in SQL only. */
export const SERIES_FACTS: readonly StarTable[] = [
  FACT_EURO_RATE,
  FACT_MACRO_OBSERVATION,
  FACT_DAILY_CLOSE,
  FACT_COMPANY_PERIOD,
]
