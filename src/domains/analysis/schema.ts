import './blocks/block-schema.js'
import './blocks/listed-schema.js'
import './discover-schema.js'
import './snapshots/latest-schema.js'
import './snapshots/proof-schema.js'
import './changes/stream-schema.js'
import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { AssetCardType } from '../asset-cards/card-schema.js'
import { analysisGrain } from './analysis-grains-schema.js'
import { getBlockOfAsset } from './blocks/block.js'
import { AiBlockType, BlockTypeType } from './blocks/block-schema.js'
import { ChangesResponseType, changesArguments } from './changes/change-schema.js'
import { getChangesOfAsset, parseChanges } from './changes/change-service.js'
import { DiffType, pairArguments } from './changes/diff-schema.js'
import { getDiffOfAsset, parseDiffRange } from './changes/diff-service.js'
import { type AnalysisType, type BlockType, DEFAULT_ANALYSIS_TYPE, DEFAULT_BLOCK_TYPE } from './model.js'
import { HistoryType, rangeArguments } from './snapshots/history-schema.js'
import { getHistoryOfAsset, getLatestSnapshot, parseHistoryRange } from './snapshots/service.js'
import { AiAnalysisType, LatestResponseType } from './snapshots/snapshot-schema.js'

interface BlockArguments {
  readonly analysis_type?: BlockType | null | undefined
}

interface TypeArguments {
  readonly analysis_type?: AnalysisType | null | undefined
}

const grains = (slug: string) => [analysisGrain(slug)]

builder.objectFields(AssetCardType, (t) => ({
  ai: t.field({
    type: AiBlockType,
    nullable: true,
    description: 'A short AI statement; its content needs ai:read. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: BlockTypeType,
        defaultValue: DEFAULT_BLOCK_TYPE,
        description: 'Subject of the statement.',
      }),
    },
    ...edge(
      'caller',
      ['analysis'],
      (asset: Asset, args: BlockArguments, context) =>
        getBlockOfAsset(asset, args.analysis_type ?? DEFAULT_BLOCK_TYPE, context),
      { check: (args: BlockArguments) => args, grains },
    ),
  }),
  ai_analysis_latest: t.field({
    type: LatestResponseType,
    nullable: true,
    description:
      'The newest AI analysis; null when no analysis is stored. Needs ai:read. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: AiAnalysisType,
        defaultValue: DEFAULT_ANALYSIS_TYPE,
        description: 'Type of analysis.',
      }),
    },
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: Asset, args: TypeArguments, context) =>
        getLatestSnapshot(asset, args.analysis_type ?? DEFAULT_ANALYSIS_TYPE, context),
      { check: (args: TypeArguments) => args, grains },
    ),
  }),
  ai_analysis_history: t.field({
    type: HistoryType,
    nullable: true,
    description:
      'AI analyses over time, as `ai_analysis_history` returns them. Needs ai:read, and history:full beyond 90 days. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: AiAnalysisType,
        defaultValue: DEFAULT_ANALYSIS_TYPE,
        description: 'Type of analysis.',
      }),
      ...rangeArguments(t.arg),
    },
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: Asset, range: ReturnType<typeof parseHistoryRange>, context) =>
        getHistoryOfAsset(asset, range, context),
      { check: parseHistoryRange, grains },
    ),
  }),
  ai_analysis_diff: t.field({
    type: DiffType,
    nullable: true,
    description:
      'Differences between two analyses, as `ai_analysis_diff` returns them; null when fewer than two are stored. Needs ai:read, and history:full beyond 90 days. Charged per 20 parents.',
    args: {
      analysis_type: t.arg({
        type: AiAnalysisType,
        defaultValue: DEFAULT_ANALYSIS_TYPE,
        description: 'Type of analysis.',
      }),
      ...pairArguments(t.arg),
    },
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: Asset, range: ReturnType<typeof parseDiffRange>, context) =>
        getDiffOfAsset(asset, range, context),
      { check: parseDiffRange, grains },
    ),
  }),
  ai_analysis_changes: t.field({
    type: ChangesResponseType,
    nullable: true,
    description:
      'Changes of the analyses of this asset, newest first, without a total. Needs ai:read. Charged per 20 parents.',
    args: changesArguments(t.arg),
    ...edge(
      'ai:read',
      ['analysis'],
      (asset: Asset, query: ReturnType<typeof parseChanges>, context) =>
        getChangesOfAsset(asset, query, context),
      { check: parseChanges },
    ),
  }),
}))
