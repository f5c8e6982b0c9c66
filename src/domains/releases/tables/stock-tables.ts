import { type ReleaseTable, releaseColumn } from './release-table.js'

const { date, flag, integer, number, text, texts } = releaseColumn

const WITHDRAWN = flag('is_withdrawn', 'Whether the source withdrew it; the values are then null.')

const CORPORATE_ACTIONS: ReleaseTable = {
  dataset: 'corporate_actions',
  partOf: 'corporate_actions',
  table: 'corporate_action',
  columns: [
    integer('asset_id', 'Integer key of the stock.'),
    date('ex_date', 'First day on which the share trades without the right, or in its new form.'),
    text('action_type', 'split, reverse_split, spin_off or merger.', 'action_type::text'),
    number('ratio', 'shares', 'Shares held after it for each share before it; null if unknown.'),
    number(
      'value_ratio',
      'fraction',
      'Of a spin-off: value of a share after it for its value before it; null for other actions.',
    ),
    text('description', 'Description; null if the source has none.'),
    WITHDRAWN,
  ],
  key: ['t.asset_id', 't.ex_date', 't.action_type'],
  period: { column: 'ex_date', type: 'date' },
}

const DIVIDENDS: ReleaseTable = {
  dataset: 'dividends',
  partOf: 'dividends',
  table: 'dividend',
  columns: [
    integer('asset_id', 'Integer key of the stock.'),
    date('ex_date', 'First day on which the share trades without the dividend.'),
    text('frequency', 'How often it is paid, or unspecified.', 'frequency::text'),
    date('pay_date', 'Day of payment; null while unknown.'),
    number('amount', 'currency of the row', 'Amount per share before taxes.'),
    text('currency', 'ISO 4217 code.'),
    WITHDRAWN,
  ],
  key: ['t.asset_id', 't.ex_date', 't.frequency'],
  period: { column: 'ex_date', type: 'date' },
}

const FILINGS: ReleaseTable = {
  dataset: 'filings',
  partOf: 'filings',
  table: 'filed_fact',
  columns: [
    text('cik', 'SEC central index key of the filer, 10 digits.'),
    text('taxonomy', 'Taxonomy of the tag, e.g. us-gaap.'),
    text('tag', 'Tag of the figure, e.g. Revenues.'),
    text('unit', 'A currency (ISO 4217), a currency per share (USD/shares), or shares.'),
    date('period_end', 'Last day of the period, or the day of a figure that has no duration.'),
    { ...integer('period_days', 'Length of the period; 0 for a figure on one day.'), unit: 'days' },
    text('accession', 'Accession number of the filing that states it.'),
    text('form', 'Type of the filing, e.g. 10-K.'),
    date('filed', 'Day on which it was filed.'),
    number('value', 'unit of the row', 'The figure.'),
    WITHDRAWN,
  ],
  key: [
    't.cik collate "C"',
    't.taxonomy collate "C"',
    't.tag collate "C"',
    't.unit collate "C"',
    't.period_end',
    't.period_days',
    't.accession collate "C"',
  ],
  period: { column: 'period_end', type: 'date' },
}

const ETF: ReleaseTable = {
  dataset: 'etf',
  partOf: 'etf',
  // A quarantined report has no holdings.
  table: `(select r.*, h.position, h.name, h.ticker, h.mic, h.isin, h.figi, h.lei, h.weight, h.shares, h.market_value_usd,
      h.asset_category, h.country, h.unverified
    from etf_report as r join etf_holding as h using (report_id))`,
  columns: [
    integer('asset_id', 'Integer key of the fund.'),
    date('as_of', 'Day of the holdings.'),
    integer('position', 'Place in the report, from 1, the heaviest first.'),
    text('name', 'Name of the holding.'),
    text('ticker', 'Ticker of the source; null if it has none.'),
    text('mic', 'Market of the ticker (ISO 10383); null if the source does not say.'),
    text('isin', 'ISO 6166, check digit verified.'),
    text('figi', 'OpenFIGI identifier, check digit verified.'),
    text('lei', 'Legal entity identifier of the issuer (ISO 17442), check digits verified.'),
    number('weight', 'fraction of net assets', 'Share of the fund; negative for a short position.'),
    number('shares', 'shares', 'Shares held; null for holdings that are not shares.'),
    number('market_value_usd', 'USD', 'Market value; null if unknown.'),
    text('asset_category', 'Kind of the holding, e.g. equity; null if the source does not say.'),
    text('country', 'ISO 3166-1, two letters; null if the source does not say.'),
    texts('unverified', 'Identifiers of the source that failed their check.'),
    text('accession', 'Number of the filing at the SEC; null for other sources.'),
    flag('is_amendment', 'Whether the filing amends an earlier one.'),
    number('nav', 'nav_currency', 'Net asset value of one share of the fund; null if unknown.'),
    text('nav_currency', 'ISO 4217 currency of nav.'),
    number('net_assets_usd', 'USD', 'Net assets of the fund; null if the source does not state them.'),
    number('weight_sum', 'fraction of net assets', 'Sum of the weights of the report.'),
    text('content_hash', 'SHA-256 of the report, hex.'),
  ],
  key: ['t.asset_id', 't.as_of', 't.source collate "C"', 't.position'],
  period: { column: 'as_of', type: 'date' },
}

/** Actions, dividends and filed figures of companies, and holdings of funds. */
export const STOCK_TABLES: readonly ReleaseTable[] = [CORPORATE_ACTIONS, DIVIDENDS, FILINGS, ETF]
