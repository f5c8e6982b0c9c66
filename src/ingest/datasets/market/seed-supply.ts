import { z } from 'zod'
import { startOfDay } from '../../../core/time.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed } from '../../feed.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { SEED_ASSETS } from './seed-candles.js'

const Supplies = z.array(
  z.strictObject({
    assetId: z.int().positive(),
    supply: z.string().regex(/^[1-9]\d*$/),
    observedAt: z.iso.datetime(),
  }),
)

const METHODOLOGY = 'Synthetic, for development and tests.'

/** Synthetic circulating supplies, constant, with a new count each day. */
export const seedSupply: Feed<SupplyRow> = {
  id: 'seed-supply',
  ...SEED_FEED,
  dataset: 'supply',
  description: `Synthetic supplies of ${SEED_ASSETS.length} crypto assets`,
  parse: (body, context) => parseSupplies(body, context),
}

/** The supplies counted at the start of that day, UTC. */
export function seedSupplyBody(now: Date): Uint8Array {
  const observedAt = startOfDay(now).toISOString()
  const supplies = SEED_ASSETS.map(({ assetId, supply }) => ({ assetId, supply, observedAt }))
  return new TextEncoder().encode(JSON.stringify(supplies))
}

function* parseSupplies(body: Uint8Array, context: ParseContext): Generator<Parsed<SupplyRow>> {
  for (const { observedAt, ...supply } of readSupplies(body)) {
    yield { kind: 'row', row: { ...supply, observedAt: new Date(observedAt), methodology: METHODOLOGY } }
  }
  context.onRead(1)
}

function readSupplies(body: Uint8Array): z.infer<typeof Supplies> {
  try {
    return Supplies.parse(JSON.parse(new TextDecoder().decode(body)))
  } catch (cause) {
    throw new BrokenBody('the body is not a list of supplies', { cause })
  }
}
