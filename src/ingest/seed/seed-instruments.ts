import { z } from 'zod'
import {
  parseCik,
  parseCurrencyCode,
  parseFigi,
  parseIsin,
  parseMic,
  parseSlug,
  parseTicker,
} from '../../core/identifiers.js'
import type { InstrumentFacts } from '../../domains/instruments/store.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../feed.js'
import { SEED_COMMODITIES } from './commodities.js'
import { SEED_CRYPTO } from './crypto.js'
import { SEED_ETFS } from './etfs.js'
import { seedProvider } from './seed-provider.js'
import { SEED_STOCKS } from './stocks.js'

const identifier = (name: string, parse: (text: string) => string | null) =>
  z.string().refine((text) => parse(text) === text, { error: `is not ${name}` })

const Facts = z.strictObject({
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
})

/** The instrument master of the synthetic world: real master facts, verified as any provider's are. */
export const seedInstruments: Feed<InstrumentFacts> = {
  id: 'seed-instruments',
  provider: seedProvider,
  dataset: 'instruments',
  description: 'Assets and primary listings for development',
  cadence: 'each start in development',
  fileNames: [],
  request: () => null,
  parse: (body, context) => parseInstruments(body, context),
}

/** The facts as a body, the way a provider would send them. */
export function seedInstrumentsBody(): Uint8Array {
  const facts = [...SEED_CRYPTO, ...SEED_STOCKS, ...SEED_ETFS, ...SEED_COMMODITIES]
  return new TextEncoder().encode(JSON.stringify(facts))
}

function* parseInstruments(body: Uint8Array, context: ParseContext): Generator<Parsed<InstrumentFacts>> {
  for (const [index, item] of readList(body).entries()) {
    const facts = Facts.safeParse(item)
    if (facts.success) {
      yield { kind: 'row', row: facts.data }
      continue
    }
    const reason = facts.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')
    yield { kind: 'rejected', position: `entry ${index + 1}, ${nameOf(item)}`, reason }
  }
  context.onRead(1)
}

function readList(body: Uint8Array): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (Array.isArray(list)) return list
  } catch (cause) {
    throw new BrokenBody('the body is not JSON', { cause })
  }
  throw new BrokenBody('the body is not a list')
}

function nameOf(item: unknown): string {
  const hasSlug = typeof item === 'object' && item !== null && 'slug' in item
  return hasSlug ? quoted(String(item.slug)) : 'without a slug'
}
