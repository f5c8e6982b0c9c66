import { type Given, shownText } from '../../core/argument-parsers.js'
import { type ChangePosition, parseChangesCursor } from '../../core/change-position.js'
import { Problems } from '../../core/problems.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireAccess, requireCaller } from '../../policy/decide.js'
import type { AnalysisType, ChangeType } from '../analysis/model.js'
import { getAsset, parseAssetId } from '../assets/service.js'
import {
  DEFAULT_EVENT_TYPES,
  type EventType,
  eventTypesOf,
  scopesOfEvents,
  WEBHOOK_EVENT_TYPES,
} from './change-feeds.js'
import { MAX_WEBHOOK_ASSETS, type WebhookFilter, webhooksPort } from './model.js'
import { urlFault } from './webhook-url.js'

export interface WebhookRequest {
  readonly url: string
  readonly filter: WebhookFilter
  /** Only changes after this position; null for changes from now on. */
  readonly after: ChangePosition | null
}

/** Parses a new webhook; 422 names every wrong field, 404 an unknown asset. */
export async function parseWebhook(
  input: {
    readonly url: string
    readonly event_types?: Given<readonly string[]>
    readonly asset_ids?: Given<readonly string[]>
    readonly analysis_type?: Given<AnalysisType>
    readonly change_type?: Given<ChangeType>
    readonly cursor?: Given<string>
  },
  context: RequestContext,
): Promise<WebhookRequest> {
  const problems = new Problems()
  addUrlFault(problems, input.url, context)
  const eventTypes = parseEventTypes(problems, input.event_types)
  const slugs = [...new Set(input.asset_ids ?? [])]
  if (slugs.length > MAX_WEBHOOK_ASSETS)
    problems.add('asset_ids', `must have at most ${MAX_WEBHOOK_ASSETS} assets`)
  if (input.asset_ids?.length === 0)
    problems.add('asset_ids', 'must name at least one asset; omit it for all assets')
  const { analysis_type: analysisType = null, change_type: changeType = null } = input
  for (const [field, value] of Object.entries({ analysis_type: analysisType, change_type: changeType }))
    if (value !== null && !eventTypesOf('ai_analysis').some((type) => eventTypes.includes(type)))
      problems.add(field, 'selects changes of analyses; add ai_analysis.change to event_types, or omit it')
  const after = parseChangesCursor(problems, input.cursor)
  problems.refuse()
  const scopes = scopesOfEvents(eventTypes)
  for (const scope of scopes) requireAccess(requireCaller(context.principal), scope)
  const assets = await Promise.all(
    slugs.map(async (slug) => getAsset(await parseAssetId(slug, context), context)),
  )
  const assetIds = assets.map(({ assetId }) => assetId)
  return { url: input.url, filter: { eventTypes, assetIds, analysisType, changeType }, after }
}

function parseEventTypes(problems: Problems, given: Given<readonly string[]>): readonly EventType[] {
  if (given == null) return DEFAULT_EVENT_TYPES
  if (given.length === 0) problems.add('event_types', 'must name at least one type; omit it for analyses')
  for (const type of new Set(given))
    if (!WEBHOOK_EVENT_TYPES.some((known) => known === type))
      problems.add('event_types', `must be of ${WEBHOOK_EVENT_TYPES.join(', ')}; got ${shownText(type)}`)
  return WEBHOOK_EVENT_TYPES.filter((type) => given.includes(type))
}

/** Adds the problem of a URL, if it has one. */
export function addUrlFault(problems: Problems, url: string, { ports }: RequestContext): void {
  const fault = urlFault(url, ports.get(webhooksPort))
  if (fault !== null) problems.add('url', fault)
}
