import { periodText } from '../../../core/period.js'
import { type IsoDate, parsePeriod, toIsoDate } from '../../../core/time.js'
import { BIS_DATASETS } from '../../../domains/macro/bis/datasets-model.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { areaName } from '../../../domains/macro/names/area-names-model.js'
import { concatChunks, oneChunk } from '../../bodies/chunks.js'
import type { ParseContext, Parsed, StreamFeed } from '../../feed.js'
import type { SeedVintage } from '../../ingestion.js'
import { parseBis } from '../../providers/bis/bis-csv.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { provisionalThenRevised } from '../../seed/values/vintages.js'

/** Countries that have series in all tables below. */
const COUNTRIES =
  'AT AU BE BR CA CH CL CN CO CZ DE DK ES FI FR GB GR HK HU ID IE IL IN IT JP KR LU MX MY NL NO NZ PL PT SE SG TH TR US ZA'.split(
    ' ',
  )

/**
 * The first period is fixed, because a period that leaves the tables would be withdrawn. 60 quarters had ended at
 * the end of 2025.
 */
const FIRST_YEAR = 2011

/** Countries of the tables that only show a frequency or a unit. */
const FEW_COUNTRIES = 'AU CA CH DE FR GB JP KR SE US'.split(' ')

interface Shape {
  readonly code: string
  /** The dimensions of a key without the frequency. */
  readonly dimensions: readonly string[]
  readonly frequency: 'annual' | 'quarterly' | 'monthly'
  readonly countries: readonly string[]
  /** Range of the level by country. */
  readonly least: number
  readonly most: number
  /** Largest distance of the waves from the level. */
  readonly swing: number
  /** Rise of the level per year, as a fraction. */
  readonly growth: number
  /** A period without a value. */
  readonly gap?: { readonly country: string; readonly period: string }
}

// biome-ignore format: one table a line
const SHAPES: readonly Shape[] = [
  { code: 'WS_TC', dimensions: ['BORROWERS_CTY', 'TC_BORROWERS', 'TC_LENDERS', 'VALUATION', 'UNIT_TYPE', 'TC_ADJUST'], frequency: 'quarterly', countries: COUNTRIES, least: 60, most: 240, swing: 12, growth: 0.005 },
  { code: 'WS_CREDIT_GAP', dimensions: ['BORROWERS_CTY', 'TC_BORROWERS', 'TC_LENDERS', 'CG_DTYPE'], frequency: 'quarterly', countries: COUNTRIES, least: -8, most: 8, swing: 10, growth: 0 },
  { code: 'WS_DSR', dimensions: ['BORROWERS_CTY', 'DSR_BORROWERS'], frequency: 'quarterly', countries: COUNTRIES, least: 8, most: 24, swing: 2, growth: 0, gap: { country: 'ZA', period: '2015-Q3' } },
  { code: 'WS_SPP', dimensions: ['REF_AREA', 'VALUE', 'UNIT_MEASURE'], frequency: 'quarterly', countries: COUNTRIES, least: 90, most: 110, swing: 8, growth: 0.02 },
  { code: 'WS_EER', dimensions: ['EER_TYPE', 'EER_BASKET', 'REF_AREA'], frequency: 'monthly', countries: COUNTRIES, least: 92, most: 108, swing: 6, growth: 0 },
  { code: 'WS_LONG_CPI', dimensions: ['REF_AREA', 'UNIT_MEASURE'], frequency: 'monthly', countries: COUNTRIES, least: 98, most: 104, swing: 0.5, growth: 0.025 },
  { code: 'WS_LONG_CPI', dimensions: ['REF_AREA', 'UNIT_MEASURE'], frequency: 'annual', countries: FEW_COUNTRIES, least: 98, most: 104, swing: 0.5, growth: 0.025 },
  { code: 'WS_CBPOL', dimensions: ['REF_AREA'], frequency: 'monthly', countries: FEW_COUNTRIES, least: 0.5, most: 4.5, swing: 0.4, growth: 0 },
  { code: 'WS_LBS_D_PUB', dimensions: ['L_MEASURE', 'L_POSITION', 'L_INSTR', 'L_DENOM', 'L_CURR_TYPE', 'L_PARENT_CTY', 'L_REP_BANK_TYPE', 'L_REP_CTY', 'L_CP_SECTOR', 'L_CP_COUNTRY', 'L_POS_TYPE'], frequency: 'quarterly', countries: FEW_COUNTRIES, least: 300_000, most: 4_000_000, swing: 60_000, growth: 0.03 },
]

/** The table whose newest quarter is provisional at first. */
const REVISED_TABLE = 'WS_TC'

/** Distance of a provisional value from the final one. */
const PROVISIONAL_EXCESS = 0.7

/** Synthetic tables in the format of the BIS's bulk files, read by their parser. */
export const seedBis: StreamFeed<MacroObservation> = {
  id: 'seed-bis',
  ...SEED_FEED,
  dataset: 'bis',
  description: `Synthetic values of ${new Set(SHAPES.map(({ code }) => code)).size} datasets of the BIS for up to ${COUNTRIES.length} countries`,
  parseStream: parseTables,
}

/** An empty line separates two tables. */
const BETWEEN_TABLES = '\n\n'

/** The tables at that instant: every period that has ended. */
export function seedBisBody(now: Date): Uint8Array {
  const today = toIsoDate(now)
  const tables = SHAPES.map((shape) => tableOf(shape, today))
  return new TextEncoder().encode(tables.join(BETWEEN_TABLES))
}

/** One table with provisional values of its newest quarter, then the same table with the final values. */
export function seedBisVintages(now: Date): readonly SeedVintage[] {
  const revised = SHAPES.filter(({ code }) => code === REVISED_TABLE)
  return provisionalThenRevised(now, (instant, isProvisional) => {
    const tables = revised.map((shape) => tableOf(shape, toIsoDate(instant), isProvisional))
    return new TextEncoder().encode(tables.join(BETWEEN_TABLES))
  })
}

async function* parseTables(
  body: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<MacroObservation>> {
  for (const table of new TextDecoder().decode(await concatChunks(body)).split(BETWEEN_TABLES)) {
    yield* parseBis(oneChunk(table), true, context)
  }
}

const FREQUENCY_CODES = { annual: 'A', quarterly: 'Q', monthly: 'M' } as const
const MONTHS = { annual: 12, quarterly: 3, monthly: 1 } as const

function tableOf(shape: Shape, today: IsoDate, isProvisional = false): string {
  const dataset = BIS_DATASETS.find(({ code }) => code === shape.code)
  if (dataset === undefined) throw new Error(`${shape.code} is not served`)
  const periods = periodsUntil(today, shape.frequency)
  const rows = shape.countries.map((country) => {
    const [, ...codes] = dataset.seriesKeyPattern.replace('{CC}', country).split('.')
    const title = `${areaName(country)} - ${dataset.name} (made up)`
    const key = [FREQUENCY_CODES[shape.frequency], ...codes]
    return [...key, title, key.join(':'), ...valuesOf(shape, country, periods, isProvisional)].join()
  })
  return [['FREQ', ...shape.dimensions, 'TITLE_TS', 'Series', ...periods].join(), ...rows].join('\n')
}

/** From the first year to the last whole quarter, or to the last whole year for yearly tables. */
function periodsUntil(today: IsoDate, frequency: Shape['frequency']): readonly string[] {
  const quarters =
    (Number(today.slice(0, 4)) - FIRST_YEAR) * 4 + Math.floor((Number(today.slice(5, 7)) - 1) / 3)
  const length = MONTHS[frequency]
  return Array.from({ length: Math.max(0, Math.floor((quarters * 3) / length)) }, (_, at) => {
    const month = at * length
    const text = `${FIRST_YEAR + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
    const start = parsePeriod(text)?.start
    if (start === undefined) throw new Error(`${text} is not a month`)
    return periodText({ frequency, start })
  })
}

/** Two waves and a trend; the same country and period always have the same value. */
function valuesOf(
  shape: Shape,
  country: string,
  periods: readonly string[],
  isProvisional: boolean,
): readonly string[] {
  const draw = (what: string) => noise(`${shape.code} ${country} ${what}`)
  const perYear = 12 / MONTHS[shape.frequency]
  const level = shape.least + (shape.most - shape.least) * draw('level')
  const [slow, fast] = [draw('slow'), draw('fast')]
  return periods.map((period, at) => {
    if (shape.gap?.country === country && shape.gap.period === period) return 'NaN'
    const years = at / perYear
    const waves =
      0.7 * Math.sin(2 * Math.PI * (years / 9 + slow)) + 0.3 * Math.sin(2 * Math.PI * (years / 2.3 + fast))
    const value = level * (1 + shape.growth) ** years + shape.swing * waves
    return (isProvisional && at === periods.length - 1 ? value + PROVISIONAL_EXCESS : value).toFixed(1)
  })
}
