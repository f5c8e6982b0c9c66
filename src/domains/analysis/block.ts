import type { Slug } from '../../core/identifiers.js'
import type { RequestContext } from '../../platform/request-context.js'
import type { Scope } from '../../policy/scopes.js'
import { getAsset, parseAssetId } from '../assets/service.js'
import { holds } from './history.js'
import { METHODOLOGY_CARDS } from './methodology.js'
import {
  type AnalysedAsset,
  BLOCK_SOURCES,
  type BlockType,
  DEFAULT_BLOCK_TYPE,
  type Snapshot,
  upgradeUrlPort,
} from './model.js'
import { latestOf } from './service.js'

/** What a block shows to callers who hold this scope. */
const BLOCK_SCOPE: Scope = 'ai:read'

/** What a caller would need to see more. */
export interface Upsell {
  readonly required_scope: Scope
  readonly upgrade_url: string
}

/** One short AI statement on an asset. */
export interface Block {
  readonly asset: AnalysedAsset
  readonly blockType: BlockType
  /** What it is read from; null: nothing tells it, or the caller may not see it. */
  readonly snapshot: Snapshot | null
  readonly summary: string | null
  readonly upsell: Upsell | null
}

export interface BlockQuery {
  readonly slug: Slug
  readonly blockType: BlockType
}

export function parseBlock(args: {
  readonly id: string
  readonly analysis_type?: BlockType | null | undefined
}): BlockQuery {
  return { slug: parseAssetId(args.id), blockType: args.analysis_type ?? DEFAULT_BLOCK_TYPE }
}

/** The block that is asked for; 404 for an unknown asset. */
export async function getBlock(query: BlockQuery, context: RequestContext): Promise<Block> {
  return blockOf(await getAsset(query.slug, context), query.blockType, context)
}

/** A caller without ai:read gets it without content and with what it takes to see it. */
export async function blockOf(
  asset: AnalysedAsset,
  blockType: BlockType,
  context: RequestContext,
): Promise<Block> {
  const empty = { asset, blockType, snapshot: null, summary: null }
  if (!holds(context, BLOCK_SCOPE)) {
    return {
      ...empty,
      upsell: { required_scope: BLOCK_SCOPE, upgrade_url: context.ports.get(upgradeUrlPort) },
    }
  }
  const source = BLOCK_SOURCES[blockType]
  const latest = source === null ? null : await latestOf(asset, source, context)
  if (latest === null) return { ...empty, upsell: null }
  const { snapshot } = latest
  // How a token is classified is the same for all; what came of it is the snapshot's.
  const summary =
    blockType === 'token_methodology' ? METHODOLOGY_CARDS.halal_analysis.method : snapshot.content.summary
  return { ...empty, snapshot, summary, upsell: null }
}
