import { z } from 'zod'
import { VENUES } from '../../../core/consensus/venue-symbols.js'
import {
  parseCik,
  parseCurrencyCode,
  parseEvmAddress,
  parseFigi,
  parseIsin,
  parseLei,
  parseMic,
  parseSlug,
  parseTicker,
} from '../../../core/identifiers.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import { BrokenBody, jsonOfBody, type Parsed, quoted } from '../../feed.js'

const identifier = (name: string, parse: (text: string) => string | null) =>
  z.string().refine((text) => parse(text) === text, { error: `is not ${name}` })

const Day = z.string().transform((text, context): IsoDate => {
  const day = parseIsoDate(text)
  if (day !== null) return day
  context.addIssue({ code: 'custom', message: 'is not a day' })
  return z.NEVER
})

/** An asset of the reference, with verified identifiers. */
export const ReferenceAsset = z.strictObject({
  assetId: z.int().positive(),
  slug: identifier('a slug', parseSlug),
  ticker: identifier('a ticker', parseTicker),
  name: z.string().min(1),
  assetClass: z.enum(['crypto', 'stock', 'etf', 'commodity']),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]).nullable(),
  mic: identifier('a MIC', parseMic).nullable(),
  isin: identifier('an ISIN', parseIsin).nullable(),
  figi: identifier('a FIGI', parseFigi).nullable(),
  currency: identifier('a currency code', parseCurrencyCode),
  sectorGics: z.string().min(1).nullable(),
  cik: identifier('a CIK', parseCik).nullable(),
  contract: z
    .strictObject({ chainId: z.int().positive(), address: identifier('an address', parseEvmAddress) })
    .nullable(),
  lei: identifier('an LEI', parseLei).nullable(),
  symbols: z.record(z.enum(VENUES), z.string().min(1).nullable()).or(z.strictObject({})),
  formerTickers: z
    .array(z.strictObject({ ticker: identifier('a ticker', parseTicker), to: Day }))
    .exactOptional(),
})

/** The verified facts of a list of assets as JSON. Throws BrokenBody if it is not a list. */
export function* parseInstruments(body: Uint8Array): Generator<Parsed<InstrumentFacts>> {
  for (const [index, item] of readList(body).entries()) {
    const facts = ReferenceAsset.safeParse(item)
    if (facts.success) {
      yield { kind: 'row', row: facts.data }
      continue
    }
    const reason = facts.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')
    yield { kind: 'rejected', position: `entry ${index + 1}, ${nameOf(item)}`, reason }
  }
}

function readList(body: Uint8Array): readonly unknown[] {
  const list = jsonOfBody(body, 200)
  if (Array.isArray(list)) return list
  throw new BrokenBody('the body is not a list')
}

function nameOf(item: unknown): string {
  const hasSlug = typeof item === 'object' && item !== null && 'slug' in item
  return hasSlug ? quoted(String(item.slug)) : 'without a slug'
}
