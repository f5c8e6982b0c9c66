import { METHODOLOGY_VERSION } from '../../../core/consensus/consensus.js'
import { type Decimal, decimal, roundSignificant } from '../../../core/decimal.js'
import { periodText } from '../../../core/period.js'
import type { IssueSection } from '../model.js'
import type { AnalysisNews, DatasetAge, IssueInput } from './issue-input.js'
import type { PriceMove, RateMove, SeriesNews } from './issue-input-store.js'

/** Number of prices in an issue: the largest moves. */
const MAX_MOVES = 10

/** Significant digits of a value. */
const DIGITS = 6

/** The tables of an issue; a pure function of its facts. */
export function issueSections(facts: IssueInput): readonly IssueSection[] {
  const sections = [changesSection, pricesSection, seriesSection, freshnessSection].map((make) => make(facts))
  return sections.map(({ rows, ...section }) => ({
    ...section,
    rows: rows.map(({ cells }) => ({ cells: cells.map(shortened) })),
  }))
}

/** The longest cell: titles of series and credit lines have no bound. */
const MAX_CELL_LENGTH = 200

function shortened(text: string): string {
  return text.length <= MAX_CELL_LENGTH ? text : `${text.slice(0, MAX_CELL_LENGTH - 1)}…`
}

function changesSection({ changes, hasMoreChanges }: IssueInput): IssueSection {
  const more = hasMoreChanges ? ' Not all changes are shown here; the feed of changes has all of them.' : ''
  return {
    key: 'changes',
    title: 'Changes of AI analyses',
    note:
      changes.length === 0
        ? 'No analysis changed this week.'
        : `The newest first. Similarity compares the text before and after, from 0 to 1.${more}`,
    columns: ['Asset', 'Analysis', 'Reason', 'Day (UTC)', 'Similarity'],
    rows: changes.map((change) => ({ cells: cellsOfChange(change) })),
  }
}

function cellsOfChange(change: AnalysisNews): readonly string[] {
  const { name, ticker, analysisType, changeType, knownAt, similarity } = change
  return [
    `${name} (${ticker})`,
    wordsOf(analysisType),
    wordsOf(changeType.toLowerCase()),
    knownAt.toISOString().slice(0, 10),
    similarity === null ? 'text unchanged' : similarity.toFixed(2),
  ]
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ')
}

function pricesSection({ prices, week }: IssueInput): IssueSection {
  const moves = prices.flatMap(moveOf)
  const largest = moves.toSorted((a, b) => b.by.abs().comparedTo(a.by.abs())).slice(0, MAX_MOVES)
  return {
    key: 'prices',
    title: 'Consensus prices',
    note:
      moves.length === 0
        ? 'No asset has a consensus price for the last day of both this week and the week before.'
        : `The largest moves of ${moves.length} assets from the Sunday before to ${week.sunday}: volume-weighted prices of the day from several exchanges, method ${METHODOLOGY_VERSION}.`,
    columns: ['Asset', 'USD before', 'USD', 'Change'],
    rows: largest.map(({ price: { name, ticker }, before, last, by }) => ({
      cells: [`${name} (${ticker})`, figure(before), figure(last), percent(by)],
    })),
  }
}

function moveOf(price: PriceMove) {
  if (price.before === null || price.last === null) return []
  const [before, last] = [decimal(price.before), decimal(price.last)]
  return before.isZero() ? [] : [{ price, before, last, by: changeOf(before, last) }]
}

/** In per cent. */
function changeOf(before: Decimal, last: Decimal): Decimal {
  return last.div(before).minus(1).times(100)
}

function percent(by: Decimal): string {
  const text = by.toFixed(2)
  return text.startsWith('-') || by.isZero() ? `${text} %` : `+${text} %`
}

function figure(value: Decimal): string {
  return roundSignificant(value, DIGITS).toFixed()
}

function seriesSection({ rates, series, hasMoreSeries }: IssueInput): IssueSection {
  const rows = [...rates.flatMap(rowOfRate), ...series.map((news) => ({ cells: cellsOfSeries(news) }))]
  const more = hasMoreSeries ? ' Not all series with new values are shown here.' : ''
  return {
    key: 'series',
    title: 'Exchange rates and series of central banks',
    note:
      rows.length === 0
        ? 'No rate and no new value was published this week.'
        : `Euro reference rates of the European Central Bank, for information only, with their change from the week before; then series whose newest value became known in this week.${more}`,
    columns: ['Series', 'Period', 'Value', 'Unit', 'Change'],
    rows,
  }
}

function rowOfRate({ quote, before, last }: RateMove): IssueSection['rows'] {
  if (last === null) return []
  const by = before === null ? 'no rate before' : percent(changeOf(decimal(before), decimal(last)))
  return [{ cells: [`EUR/${quote}`, 'end of the week', figure(decimal(last)), `${quote} per EUR`, by] }]
}

function cellsOfSeries({ provider, description, seriesKey, ...news }: SeriesNews): readonly string[] {
  return [
    `${provider.toUpperCase()}: ${description ?? seriesKey}`,
    periodText({ frequency: news.frequency, start: news.periodStart }),
    news.value === null ? 'no value' : figure(decimal(news.value)),
    news.unit ?? 'not stated',
    'new',
  ]
}

function freshnessSection({ datasets }: IssueInput): IssueSection {
  return {
    key: 'freshness',
    title: 'Freshness of the data',
    note:
      datasets.length === 0
        ? 'No data has been ingested yet.'
        : 'State of the datasets of this issue at the time it was generated.',
    columns: ['Dataset', 'Status', 'Newest fact (UTC)', 'Sources', 'Credit'],
    rows: datasets.map((dataset) => ({ cells: cellsOfDataset(dataset) })),
  }
}

function cellsOfDataset({ dataset, status, lastUpdatedAt, ...age }: DatasetAge): readonly string[] {
  return [
    dataset,
    age.isDevDataset ? `${status}, synthetic` : status,
    `${lastUpdatedAt.toISOString().slice(0, 16).replace('T', ' ')}`,
    age.sources.join(', '),
    age.attribution ?? 'none required',
  ]
}
