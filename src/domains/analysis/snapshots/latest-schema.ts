import { queryEndpoint } from '../../../schema-kit/fields.js'
import { getLatest, parseChain } from './service.js'
import { chainArguments, LatestResponseType } from './snapshot-schema.js'

queryEndpoint('ai_analysis_latest', {
  isAlwaysRevalidated: true,
  summary: 'Newest AI analysis of an asset',
  description:
    'The newest snapshot of one kind of analysis of an asset, with what proves it unchanged. Corrections take the place of what they correct.',
  access: 'ai:read',
  partScopes: ['ai:lineage'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{asset_id}/ai-analysis/latest', tag: 'ai analysis' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'analysis'],
  type: LatestResponseType,
  args: chainArguments,
  check: (args) => parseChain(args),
  resolve: (query, context) => getLatest(query, context),
})
