import type { Slug } from '../../../core/identifiers.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope } from '../../../policy/decide.js'
import type { Scope } from '../../../policy/scopes.js'
import { type AssetArguments, parseAssetName } from '../../assets/by-service.js'
import { getAsset } from '../../assets/service.js'
import { BLOCK_SOURCES, type BlockType, DEFAULT_BLOCK_TYPE, type Snapshot, upgradeUrlPort } from '../model.js'
import { getLatestOfAsset, getLatestSnapshot } from '../snapshots/service.js'
import { METHODOLOGY_CARDS } from './methodology.js'

/** Scope that a caller needs to see the statement. */
const BLOCK_SCOPE: Scope = 'ai:read'

/** Scope that a caller needs to see more. */
export interface Upsell {
  readonly required_scope: Scope
  readonly upgrade_url: string | null
}

/** One short AI statement on an asset. */
export interface Block {
  readonly asset: Asset
  /** Null: the caller may not see it. */
  readonly blockType: BlockType | null
  /** The snapshot that it is read from; null when no analysis is stored or the caller may not see it. */
  readonly snapshot: Snapshot | null
  readonly summary: string | null
  readonly upsell: Upsell | null
}

export interface BlockQuery {
  readonly slug: Slug
  readonly blockType: BlockType
}

export async function parseBlock(
  args: AssetArguments & { readonly analysis_type?: BlockType | null | undefined },
  context: RequestContext,
): Promise<BlockQuery> {
  const slug = await parseAssetName(args, context)
  return { slug, blockType: args.analysis_type ?? DEFAULT_BLOCK_TYPE }
}

/** Gets the requested block; 404 for an unknown asset. */
export async function getBlock({ slug, blockType }: BlockQuery, context: RequestContext): Promise<Block> {
  const analysisType = BLOCK_SOURCES[blockType]
  if (analysisType === null || !holdsScope(context, BLOCK_SCOPE)) {
    return emptyBlock(await getAsset(slug, context), blockType, context)
  }
  const { asset, snapshot } = await getLatestOfAsset({ slug, analysisType }, context)
  return snapshot === null ? emptyBlock(asset, blockType, context) : blockFrom(asset, blockType, snapshot)
}

/** Gets the block of an asset that is already loaded. */
export async function getBlockOfAsset(
  asset: Asset,
  blockType: BlockType,
  context: RequestContext,
): Promise<Block> {
  const analysisType = BLOCK_SOURCES[blockType]
  const latest =
    analysisType === null || !holdsScope(context, BLOCK_SCOPE)
      ? null
      : await getLatestSnapshot(asset, analysisType, context)
  return latest === null
    ? emptyBlock(asset, blockType, context)
    : blockFrom(asset, blockType, latest.snapshot)
}

/** A block without content. For a caller without ai:read it names the scope that is needed. */
function emptyBlock(asset: Asset, blockType: BlockType, context: RequestContext): Block {
  const empty = { asset, snapshot: null, summary: null }
  if (holdsScope(context, BLOCK_SCOPE)) return { ...empty, blockType, upsell: null }
  const upsell = { required_scope: BLOCK_SCOPE, upgrade_url: context.ports.get(upgradeUrlPort) }
  return { ...empty, blockType: null, upsell }
}

function blockFrom(asset: Asset, blockType: BlockType, snapshot: Snapshot): Block {
  // The method of classification is the same for all tokens; the snapshot has only the result.
  const summary =
    blockType === 'token_methodology' ? METHODOLOGY_CARDS.halal_analysis.method : snapshot.content.summary
  return { asset, blockType, snapshot, summary, upsell: null }
}
