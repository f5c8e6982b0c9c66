import { type Given, shownText } from '../../core/argument-parsers.js'
import { type ApiError, invalid, notFound } from '../../core/errors.js'
import {
  explainFigi,
  explainIsin,
  explainMic,
  explainTicker,
  parseFigi,
  parseIsin,
  parseMic,
  parseTicker,
  type Slug,
} from '../../core/identifiers.js'
import { Problems } from '../../core/problems.js'
import { didYouMean } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { slugsByIdentifier } from './loaders.js'
import type { AssetIdentifier } from './model.js'
import { findNearestAsset, parseAssetId } from './service.js'

/** An asset by one of its identifiers: exactly one member is given. */
export interface AssetBy {
  readonly slug?: Given<string>
  readonly asset_id?: Given<number>
  readonly figi?: Given<string>
  readonly isin?: Given<string>
  readonly listing?: Given<{ readonly ticker: string; readonly mic: string }>
}

export interface AssetArguments {
  readonly id?: Given<string>
  readonly by?: Given<AssetBy>
}

/**
 * The name of the asset that a call is about. `field` is the argument that takes the slug. An identifier that no asset has
 * is a 404; all identifiers of one operation share one read.
 */
export async function parseAssetName(
  { id, by }: AssetArguments,
  context: RequestContext,
  field: 'id' | 'asset_id' = 'id',
): Promise<Slug> {
  if (id != null && by == null) return parseAssetId(id, context)
  if (id != null || by == null) throw invalid({ field, message: `give exactly one of ${field} and by` })
  if (by.slug != null) return parseAssetId(by.slug, context)
  const identifier = parseIdentifier(by)
  if (context.clock !== undefined)
    throw invalid({
      field: `by.${identifier.kind}`,
      message: 'cannot be asked as of an instant; give the slug instead',
    })
  const [slug, ...others] = (await slugsByIdentifier(context).load(identifier)) ?? []
  if (slug === undefined) throw await unknownIdentifier(identifier, context)
  if (others.length === 0) return slug
  const message = `belongs to several assets: ${[slug, ...others].join(', ')}; give the slug of one of them`
  throw invalid({ field: `by.${identifier.kind}`, message })
}

/** Check digits and shapes are verified. The 422 names every wrong member. */
function parseIdentifier({ asset_id, figi, isin, listing }: AssetBy): AssetIdentifier {
  if (asset_id != null) return { kind: 'asset_id', text: String(asset_id) }
  const problems = new Problems()
  const verify = <Text extends string>(
    field: string,
    text: string,
    parse: (text: string) => Text | null,
    explain: (text: string) => string | null,
  ): string => {
    const parsed = parse(text)
    if (parsed === null) problems.add(field, `${explain(text)}; got ${shownText(text)}`)
    return parsed ?? ''
  }
  let found: AssetIdentifier
  if (figi != null) found = { kind: 'figi', text: verify('by.figi', figi, parseFigi, explainFigi) }
  else if (isin != null) found = { kind: 'isin', text: verify('by.isin', isin, parseIsin, explainIsin) }
  else {
    const ticker = verify('by.listing.ticker', listing?.ticker ?? '', parseTicker, explainTicker)
    found = {
      kind: 'listing',
      text: `${ticker} ${verify('by.listing.mic', listing?.mic ?? '', parseMic, explainMic)}`,
    }
  }
  problems.refuse()
  return found
}

const IDENTIFIER_NAMES = { asset_id: 'asset_id', figi: 'FIGI', isin: 'ISIN' } as const

async function unknownIdentifier(
  { kind, text }: AssetIdentifier,
  context: RequestContext,
): Promise<ApiError> {
  if (kind !== 'listing')
    return notFound(
      (name) =>
        `No asset has the ${IDENTIFIER_NAMES[kind]} ${text}. All assets are listed by ${name('asset_index')}.`,
    )
  const [ticker = '', mic = ''] = text.split(' ')
  const hint = didYouMean(await findNearestAsset(ticker, context))
  return notFound(`No asset is listed as ${ticker} on ${mic}${hint}`)
}

/** The largest integer key of the database. */
const MAX_ASSET_ID = 2 ** 31 - 1

/** The slug of an integer key; null for a number that no asset has. */
export async function findSlugOf(assetId: number, context: RequestContext): Promise<Slug | null> {
  if (assetId < 1 || assetId > MAX_ASSET_ID) return null
  const slugs = await slugsByIdentifier(context).load({ kind: 'asset_id', text: String(assetId) })
  return slugs?.[0] ?? null
}
