import { cardOf, cardsEnvelope } from './answers.js'
import { datasetOf } from './datasets.js'
import { ASSET, ASSET_COUNT, ASSET_PAGE, type CardRow, cardBounds, rowsOf } from './statements.js'

/** Totals by class and version of the dataset. Like the gateway, contenders do not count for each page. */
const totals = new Map<string, Promise<number>>()

async function totalOf(assetClass: string): Promise<number> {
  const { version } = await datasetOf('instruments')
  const key = `${assetClass} ${version}`
  const known = totals.get(key)
  if (known !== undefined) return known
  const total = rowsOf<{ total: number }>(ASSET_COUNT, [assetClass]).then(([row]) => row?.total ?? 0)
  totals.set(key, total)
  return total
}

/** A page of assets with its envelope. */
export async function assetsAnswer(page: {
  readonly asset_class: string
  readonly limit: number
  readonly offset: number
}) {
  const { asset_class: assetClass, limit, offset } = page
  const total = await totalOf(assetClass)
  const rows = await rowsOf<CardRow>(ASSET_PAGE, [...cardBounds(), assetClass, limit, offset])
  return { data: rows.map(cardOf), ...(await envelopeOf(rows, { total, has_next: offset + limit < total })) }
}

/** An asset with its envelope; null for an unknown asset. */
export async function assetAnswer(slug: string) {
  const rows = await rowsOf<CardRow>(ASSET, [...cardBounds(), slug])
  const [row] = rows
  return row === undefined ? null : { data: cardOf(row), ...(await envelopeOf(rows, {})) }
}

async function envelopeOf(rows: readonly CardRow[], paging: object) {
  return cardsEnvelope(rows, await datasetOf('instruments'), await datasetOf('candles'), paging)
}
