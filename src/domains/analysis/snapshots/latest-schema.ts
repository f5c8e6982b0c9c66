import { queryEndpoint } from '../../../schema-kit/fields.js'
import { analysisGrain } from '../analysis-grains-schema.js'
import { getLatest, parseChain } from './service.js'
import { chainArguments, LatestResponseType } from './snapshot-schema.js'

queryEndpoint('ai_analysis_latest', {
  isAlwaysRevalidated: true,
  summary: 'Newest AI analysis of an asset',
  keywords: ['opinion', 'outlook', 'report', 'halal', 'shariah'],
  description:
    'The newest snapshot of one type of analysis of an asset, with hash and signature to check that it is unchanged. A correction replaces the snapshot that it corrects.',
  access: 'ai:read',
  partScopes: ['ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/latest', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: LatestResponseType,
  args: chainArguments,
  check: (args, context) => parseChain(args, context),
  grains: ({ slug }) => [analysisGrain(slug)],
  assetOf: ({ slug }) => slug,
  resolve: (query, context) => getLatest(query, context),
})
