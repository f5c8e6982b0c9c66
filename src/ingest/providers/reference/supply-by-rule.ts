import { z } from 'zod'
import type { Provider } from '../../../core/providers.js'
import { startOfHour } from '../../../core/time.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { BrokenBody, type Feed, type Parsed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { CRYPTO_ASSETS } from './assets.js'
import { estimatedHeight, ISSUANCE_RULES, type IssuanceRule, issuedBy } from './issuance-rules.js'

/** The source of supplies that need no request. */
export const issuanceRule: Provider = {
  id: 'issuance_rule',
  name: 'Issuance rules of the chains',
  url: 'about:blank',
  licence: 'None needed: computed from public rules',
  attribution: `Issuance rules of ${ISSUANCE_RULES.map(({ name }) => name).join(', ')}`,
  disclaimer: 'Computed from the rules of the chains at an estimated height; not counted on the chains.',
  licensedForCommercialUse: true,
}

const Body = z.strictObject({ at: z.iso.datetime(), slugs: z.array(z.string()).min(1) })

/** Units of coins whose issuance is a formula. */
export const supplyByRule: Feed<SupplyRow> = {
  id: 'supply-rule',
  provider: issuanceRule,
  dataset: 'supply',
  description: `Units of ${ISSUANCE_RULES.map(({ name }) => name).join(', ')} by their issuance rules`,
  cadence: 'every 6 hours',
  schedule: byCron('25 */6 * * *', 60_000),
  bundled: bodyAt,
  parse: function* (body, context) {
    const { at, slugs } = parseCoins(body)
    for (const slug of slugs) yield issuedSupplyOf(slug, new Date(at))
    context.onRead(1)
  },
}

/** The coins and the instant; the same within an hour. */
function bodyAt(now: Date): Uint8Array {
  const at = startOfHour(now).toISOString()
  const body: z.infer<typeof Body> = { at, slugs: ISSUANCE_RULES.map(({ slug }) => slug) }
  return new TextEncoder().encode(JSON.stringify(body))
}

function parseCoins(body: Uint8Array): z.infer<typeof Body> {
  try {
    return Body.parse(JSON.parse(new TextDecoder().decode(body)))
  } catch (cause) {
    throw new BrokenBody('the body is not a list of coins at an instant', { cause })
  }
}

function issuedSupplyOf(slug: string, observedAt: Date): Parsed<SupplyRow> {
  const rule = ISSUANCE_RULES.find((known) => known.slug === slug)
  const asset = CRYPTO_ASSETS.find((known) => known.slug === slug)
  if (rule === undefined || asset === undefined) {
    return { kind: 'rejected', position: slug, reason: 'the asset has no issuance rule' }
  }
  const height = estimatedHeight(rule, observedAt)
  const supply = issuedBy(rule, height + 1)
  return {
    kind: 'row',
    row: { assetId: asset.assetId, supply, observedAt, methodology: methodologyOf(rule, height) },
  }
}

function methodologyOf(
  { subsidy, halvingBlocks, spacingSeconds, checkpoint }: IssuanceRule,
  height: number,
): string {
  return (
    `Sum of the block subsidies (${subsidy} at first, halved every ${halvingBlocks} blocks) to height ${height}, ` +
    `which is estimated: ${spacingSeconds} seconds a block since block ${checkpoint.height} of ` +
    `${checkpoint.time.toISOString()}. Lost units and subsidies that nobody claimed count as existing.`
  )
}
