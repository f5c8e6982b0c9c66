import { type ApiQuery, restGet } from '../client/use-query.js'
import { changeSince } from '../parts/change.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatPercent } from '../parts/format.js'
import { parseMacroId } from './catalogue.js'

/** A figure that people know by name. */
export interface KnownFigure {
  /** The id of its series in the catalogue. */
  readonly id: string
  readonly name: string
  /** Shows the change within a year of an index. Absent: shows the newest value, in per cent. */
  readonly isYearChange?: boolean
  /** Digits after the decimal point; 2 unless its publisher states fewer. */
  readonly digits?: number
  /** The series has values of days. */
  readonly isDaily?: boolean
}

export const US_INFLATION: KnownFigure = {
  id: 'bls:CU.CUUR0000SA0',
  name: 'US inflation',
  isYearChange: true,
  digits: 1,
}
export const EURO_INFLATION: KnownFigure = {
  id: 'ecb:HICP.M.U2.N.000000.4D0.ANR',
  name: 'Euro area inflation',
  digits: 1,
}
export const US_POLICY_RATE: KnownFigure = { id: 'bis:WS_CBPOL.Q.US', name: 'US policy rate' }

export const KNOWN_FIGURES: readonly KnownFigure[] = [
  US_INFLATION,
  EURO_INFLATION,
  { id: 'bls:LN.LNS14000000', name: 'US unemployment rate', digits: 1 },
  US_POLICY_RATE,
  { id: 'ecb:FM.D.U2.EUR.4F.KR.DFR.LEV', name: 'Euro area policy rate', isDaily: true },
  { id: 'bis:WS_CBPOL.Q.GB', name: 'UK policy rate' },
  { id: 'boj:FM01.STRDCLUCON', name: 'Japan policy rate', isDaily: true },
  { id: 'bis:WS_CBPOL.Q.CH', name: 'Switzerland policy rate' },
  { id: 'bok:722Y001.0101000_D', name: 'South Korea policy rate', isDaily: true },
]

/** Values of days are published within this time. */
const DAILY_DAYS = 60
/** Two years of months and quarters contain the period a year before the newest one, if a period is missing too. */
const OTHER_DAYS = 800

/** The newest values of the figures, in their order. A figure that is not loaded is null. */
export function buildKnownFiguresQuery(figures: readonly KnownFigure[]): ApiQuery {
  const [daily, others] = [daysAgo(DAILY_DAYS), daysAgo(OTHER_DAYS)]
  const asked = figures.map((figure) => ({ ...figure, ...parseMacroId(figure.id) }))
  const fields = asked.map(
    ({ provider, key, isDaily }, at) =>
      `  ${aliasAt(at)}: macro_series(provider: ${provider}, key: "${key}", start_period: ${isDaily ? '$last_weeks' : '$last_years'}) {
    data { period period_start value note }
  }`,
  )
  const variables = {
    ...(figures.some(({ isDaily }) => isDaily) && { last_weeks: daily }),
    ...(figures.some(({ isDaily }) => !isDaily) && { last_years: others }),
  }
  const declared = Object.keys(variables).map((name) => `$${name}: String!`)
  return {
    document: `query KnownFigures(${declared.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables,
    rest: asked.map(({ provider, key, isDaily }) =>
      restGet(`/v1/macro/series/${provider}/${key}`, { start_period: isDaily ? daily : others }),
    ),
    mayBeNull: 'roots',
  }
}

export type KnownFiguresAnswer = Readonly<Record<string, { readonly data: readonly ObservedPeriod[] } | null>>

interface ObservedPeriod {
  readonly period: string
  readonly period_start: string
  readonly value: number | null
  readonly note: string | null
}

const aliasAt = (at: number) => `figure_${at + 1}`

export interface KnownFigureValue {
  readonly text: string
  readonly period: string
  /** What the publisher says about the value; null if nothing. */
  readonly note: string | null
}

/** The newest value of the figure at a position of the query; null if it is not loaded. */
export function newestFigure(
  { isYearChange = false, digits = 2 }: KnownFigure,
  at: number,
  answer: KnownFiguresAnswer,
): KnownFigureValue | null {
  const data = answer[aliasAt(at)]?.data ?? []
  const texts = data.map(({ value, period_start }) =>
    toPercent(
      isYearChange ? changeSince(valueOfYearBefore(data, period_start), value) : value && value / 100,
      digits,
    ),
  )
  const newest = texts.findLastIndex((text) => text !== null)
  const [found, text] = [data[newest], texts[newest]]
  if (found === undefined || text == null) return null
  return { text, period: found.period, note: found.note }
}

function toPercent(fraction: number | null, digits: number): string | null {
  return fraction === null ? null : formatPercent(fraction, digits)
}

function valueOfYearBefore(data: readonly ObservedPeriod[], start: string): number | null {
  const before = `${Number(start.slice(0, 4)) - 1}${start.slice(4)}`
  return data.find(({ period_start }) => period_start === before)?.value ?? null
}
