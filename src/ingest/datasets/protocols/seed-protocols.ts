import { z } from 'zod'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import { ASSET_PROTOCOLS } from '../../../domains/protocols/asset-protocols-model.js'
import type { ProtocolFact } from '../../../domains/protocols/model.js'
import { concatChunks, oneChunk } from '../../bodies/chunks.js'
import { BrokenBody, jsonOfBody, type ParseContext, type Parsed, type StreamFeed } from '../../feed.js'
import { defiLlamaEconomics } from '../../providers/defillama/economics.js'
import { defiLlamaProtocols } from '../../providers/defillama/protocols.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

const DAYS = 30

/** Only the last protocols have value locked, to keep the seed fast. */
const TVL_DAYS = 7

/** Protocols whose fees count for an asset. */
const PROTOCOLS = [...new Set(Object.values(ASSET_PROTOCOLS).flat())].slice(0, 20)

/** The answers of DefiLlama of each day, as text; '' without one. */
const Answers = z.array(z.strictObject({ day: z.iso.date(), bodies: z.array(z.string()) }))

const FEEDS = [defiLlamaProtocols, ...defiLlamaEconomics]

/** Synthetic protocols and fees, read by the parsers of DefiLlama. */
export const seedProtocols: StreamFeed<ProtocolFact> = {
  id: 'seed-protocols',
  ...SEED_FEED,
  dataset: 'protocols',
  description: `Synthetic value locked, fees and revenue of ${PROTOCOLS.length} protocols on ${DAYS} days`,
  parseStream: (body, context) => parseAnswers(body, context),
}

/** The answers of that day and of the days before. */
export function seedProtocolsBody(now: Date): Uint8Array {
  const today = toIsoDate(now)
  const answers = Array.from({ length: DAYS }, (_, ago) => answersOf(addDays(today, -ago), ago < TVL_DAYS))
  return new TextEncoder().encode(JSON.stringify(answers))
}

/** The same protocol and day always have the same figures. */
function answersOf(day: IsoDate, hasTvl: boolean): z.infer<typeof Answers>[number] {
  const entries = PROTOCOLS.map((slug) => {
    const drawn = (what: string) => noise(`${slug} ${day} ${what}`)
    const monthly = 10 ** (5.5 + 2.5 * noise(`${slug} size`)) * (0.9 + 0.2 * drawn('month'))
    const kept = 0.1 + 0.6 * noise(`${slug} kept`)
    const facts = { name: nameOf(slug), slug, category: 'Made up', chains: ['Ethereum'] }
    const tvl = {
      tvl: round(monthly * 40),
      change_1d: round(4 * drawn('1d') - 2),
      change_7d: round(10 * drawn('7d') - 5),
    }
    const totals = (share: number) => ({
      total24h: round((monthly * share) / 30),
      total7d: round((monthly * share * 7) / 30),
      total30d: round(monthly * share),
    })
    return {
      tvl: { ...facts, ...tvl },
      fees: { ...facts, ...totals(1) },
      revenue: { ...facts, ...totals(kept) },
    }
  })
  const bodies = [
    hasTvl ? JSON.stringify(entries.map(({ tvl }) => tvl)) : '',
    JSON.stringify({ protocols: entries.map(({ fees }) => fees) }),
    JSON.stringify({ protocols: entries.map(({ revenue }) => revenue) }),
  ]
  return { day, bodies }
}

function nameOf(slug: string): string {
  return slug.replace(/(^|-)[a-z]/g, (letter) => letter.replace('-', ' ').toUpperCase())
}

function round(value: number): number {
  return Number(value.toFixed(2))
}

async function* parseAnswers(
  body: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<ProtocolFact>> {
  const answers = Answers.safeParse(jsonOfBody(await concatChunks(body), 200))
  if (!answers.success) throw new BrokenBody('the body is not a list of answers')
  for (const { day, bodies } of answers.data) {
    const ofDay = { ...context, now: new Date(day) }
    for (const [at, text] of bodies.entries()) {
      if (text !== '') yield* FEEDS[at]?.parseStream(oneChunk(text), ofDay) ?? []
    }
  }
}
