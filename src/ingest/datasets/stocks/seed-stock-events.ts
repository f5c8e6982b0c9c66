import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { DividendFrequency } from '../../../domains/stocks/model.js'
import type { Feed } from '../../feed.js'
import { actionsFile, type OwnAction } from '../../providers/operator/actions-file.js'
import { dividendsFile, type OwnDividend } from '../../providers/operator/dividends-file.js'
import { STOCKS } from '../../providers/reference/assets.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

/** Synthetic corporate actions of the stocks, in the format of the operator's file. */
export const seedActions: Feed<OwnAction> = {
  ...actionsFile(STOCKS),
  id: 'seed-corporate-actions',
  ...SEED_FEED,
  description: 'Synthetic corporate actions of stocks',
}

/** Synthetic dividends of the stocks, in the format of the operator's file. */
export const seedDividends: Feed<OwnDividend> = {
  ...dividendsFile(STOCKS),
  id: 'seed-dividends',
  ...SEED_FEED,
  description: 'Synthetic dividends of stocks',
}

/** Kinds of synthetic actions. Dividends need no adjustment for them, because all actions are older. */
const ACTIONS = [
  ['split', '2', 'Made-up split of 2 to 1.'],
  ['split', '4', 'Made-up split of 4 to 1.'],
  ['reverse_split', '0.1', 'Made-up reverse split of 1 to 10.'],
  ['spin_off', '0.25', 'Made-up spin-off: one share of the new company for four held.'],
  ['merger', '', 'Made-up merger with another company.'],
] as const

/** The same body at any time: up to two actions of each stock in the years 2014 to 2021. */
export function seedActionsBody(): Uint8Array {
  const lines = STOCKS.flatMap(({ slug, ticker, mic }) =>
    [1, 2].flatMap((place) => {
      const key = `action ${slug} ${place}`
      if (noise(key) < 0.5) return []
      const [type, ratio, description] =
        ACTIONS[Math.floor(noise(`${key} kind`) * ACTIONS.length)] ?? ACTIONS[0]
      const day = addDays(
        '2014-01-06' as IsoDate,
        Math.floor(noise(`${key} day`) * 1_400) + (place - 1) * 1_400,
      )
      return `${ticker},${mic},${type},${day},${ratio},"${description}"`
    }),
  )
  return table('ticker,mic,action_type,ex_date,ratio,description', lines)
}

const YEARS = 4

/** Dividends are announced four weeks ahead. */
const ANNOUNCED_DAYS = 28

const PAID_AFTER_DAYS = 21

/** How often companies of a market pay. */
const FREQUENCIES: Readonly<Record<string, DividendFrequency>> = {
  XNAS: 'quarterly',
  XNYS: 'quarterly',
  XLON: 'semi_annual',
  XTKS: 'semi_annual',
}

const MONTHS: Readonly<Record<string, number>> = { quarterly: 3, semi_annual: 6, annual: 12 }

/** The dividends of the last years and the announced ones; they depend only on the stock and the day. */
export function seedDividendsBody(now: Date): Uint8Array {
  const last = addDays(toIsoDate(now), ANNOUNCED_DAYS)
  const lines = STOCKS.flatMap((stock) =>
    noise(`pays ${stock.slug}`) < 0.15 ? [] : dividendsOf(stock, now, last),
  )
  return table('ticker,mic,ex_date,pay_date,amount,currency,frequency', lines)
}

function dividendsOf(
  { slug, ticker, mic, currency }: InstrumentFacts,
  now: Date,
  last: IsoDate,
): readonly string[] {
  const frequency = FREQUENCIES[mic ?? ''] ?? 'annual'
  const step = MONTHS[frequency] ?? 12
  const firstMonth = Math.floor(noise(`dividend month ${slug}`) * step)
  const dayOfMonth = 1 + Math.floor(noise(`dividend day ${slug}`) * 27)
  const level = (0.2 + 2 * noise(`dividend ${slug}`)) * (currency === 'JPY' ? 40 : 1) * (step / 12)
  const firstYear = now.getUTCFullYear() - YEARS
  return Array.from({ length: (YEARS + 1) * (12 / step) }, (_, at) => {
    const month = firstMonth + at * step
    const exDate = toIsoDate(new Date(Date.UTC(firstYear, month, dayOfMonth)))
    const year = firstYear + Math.floor(month / 12)
    // Depends on the year alone, so that an announced dividend is paid unchanged.
    const amount = (level * 1.05 ** (year - 2020)).toFixed(4)
    return exDate > last || exDate < addDays(toIsoDate(now), -YEARS * 365)
      ? ''
      : `${ticker},${mic},${exDate},${addDays(exDate, PAID_AFTER_DAYS)},${amount},${currency},${frequency}`
  }).filter((line) => line !== '')
}

function table(header: string, lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${[header, ...lines].join('\n')}\n`)
}
