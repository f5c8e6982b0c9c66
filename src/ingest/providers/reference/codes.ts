import { z } from 'zod'
import { parseCurrencyCode, parseMic } from '../../../core/identifiers.js'
import type { CurrencyFacts, MarketFacts } from '../../../domains/instruments/model.js'
import { BrokenBody, type Feed, type Parsed, quoted } from '../../feed.js'
import { byCron } from '../../schedule.js'
import CURRENCY_ROWS from './currencies.json' with { type: 'json' }
import MARKET_ROWS from './markets.json' with { type: 'json' }
import { REFERENCE_VERSION, referenceProvider } from './reference-provider.js'

const Currency = z.strictObject({
  code: z.string().refine((code) => parseCurrencyCode(code) === code, { error: 'is not a currency code' }),
  numericCode: z.string().regex(/^\d{3}$/),
  name: z.string().min(1),
  minorUnits: z.int().min(0).max(4).nullable(),
})

const Market = z.strictObject({
  mic: z.string().refine((mic) => parseMic(mic) === mic, { error: 'is not a MIC' }),
  operatingMic: z.string().refine((mic) => parseMic(mic) === mic, { error: 'is not a MIC' }),
  name: z.string().min(1),
  country: z.string().regex(/^[A-Z]{2}$/),
})

/**
 * ISO 4217 list one as of January 2026 (Bulgaria uses the euro, the Caribbean guilder replaced the Antillean one),
 * without the codes for tests, for no currency and for the former units of bond markets.
 * https://www.six-group.com/en/products-services/financial-information/market-reference-data/data-standards.html
 */
export const CURRENCIES: readonly CurrencyFacts[] = z.array(Currency).parse(CURRENCY_ROWS)

/** Well-known markets by their codes of ISO 10383 (https://www.iso20022.org/market-identifier-codes); names as in common use. */
export const MARKETS_OF_REFERENCE: readonly MarketFacts[] = z.array(Market).parse(MARKET_ROWS)

/** The currencies of ISO 4217. */
export const referenceCurrencies: Feed<CurrencyFacts> = codesFeed('currencies', {
  description: `Currencies of ISO 4217 that ship with the gateway, version ${REFERENCE_VERSION}`,
  facts: CURRENCIES,
  schema: Currency,
})

/** The well-known markets of ISO 10383. */
export const referenceMarkets: Feed<MarketFacts> = codesFeed('markets', {
  description: `Markets of ISO 10383 that ship with the gateway, version ${REFERENCE_VERSION}`,
  facts: MARKETS_OF_REFERENCE,
  schema: Market,
})

interface CodesOptions<Row> {
  readonly description: string
  readonly facts: readonly Row[]
  readonly schema: z.ZodType<Row>
}

function codesFeed<Row>(part: string, { description, facts, schema }: CodesOptions<Row>): Feed<Row> {
  return {
    id: `reference-${part}`,
    provider: referenceProvider,
    dataset: 'codes',
    part,
    description,
    cadence: 'with each release; confirmed every day',
    schedule: byCron('10 0 * * *', 60_000),
    bundled: () => new TextEncoder().encode(JSON.stringify(facts)),
    parse: function* (body, context) {
      for (const [index, item] of readCodes(body).entries()) yield parseCode(schema, item, index)
      context.onRead(1)
    },
  }
}

function parseCode<Row>(schema: z.ZodType<Row>, item: unknown, index: number): Parsed<Row> {
  const facts = schema.safeParse(item)
  if (facts.success) return { kind: 'row', row: facts.data }
  const reason = facts.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')
  return { kind: 'rejected', position: `entry ${index + 1}, ${quoted(JSON.stringify(item))}`, reason }
}

function readCodes(body: Uint8Array): readonly unknown[] {
  try {
    return z.array(z.unknown()).parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch (cause) {
    throw new BrokenBody('the body is not JSON list', { cause })
  }
}
