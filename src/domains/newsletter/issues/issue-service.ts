import type { Given } from '../../../core/argument-parsers.js'
import type { DatasetName } from '../../../core/datasets.js'
import { ApiError, invalid, notFound } from '../../../core/errors.js'
import { computeFreshness } from '../../../core/freshness.js'
import { DAY_MS } from '../../../core/time.js'
import type { DatasetState } from '../../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { audit, withOwnAccount } from '../../access/service.js'
import { getChanges } from '../../analysis/changes/change-service.js'
import { kindOfDataset } from '../../datasets/registry-model.js'
import { MACRO_PROVIDERS } from '../../macro/model.js'
import {
  type IssueContent,
  type Newsletter,
  newsletterPort,
  type SendProgress,
  UNSUBSCRIBE_PATH,
  withLink,
} from '../model.js'
import { countSubscribers } from '../subscription-store.js'
import type { DatasetAge, IssueInput } from './issue-input.js'
import { loadPriceMoves, loadRateMoves, loadSeriesNews } from './issue-input-store.js'
import { issueSections } from './issue-sections.js'
import { findIssue, insertDeliveries, insertIssue, loadCounts } from './issue-store.js'
import { endOfIssue, type IssueWeek, lastWholeWeek } from './issue-week.js'
import { renderIssue } from './render-issue.js'

/** Access to the inputs of an issue. */
export const ISSUE_READS = ['instruments', 'candles', 'forex', ...MACRO_PROVIDERS, 'analysis'] as const

/** Number of changes in an issue. */
const MAX_CHANGES = 20

/** Mails are sent until this long after the week; later ones are dropped as outdated. */
const SEND_DAYS = 3

/** The issue about the last whole week as it would be sent now, with a placeholder for the recipient's link. */
export async function previewIssue(context: RequestContext): Promise<IssueContent> {
  const { publicUrl } = context.ports.get(newsletterPort)
  const week = lastWholeWeek(context.now)
  context.validity?.endsBy(endOfIssue(week))
  const content = await buildIssue(week, context)
  const link = `${publicUrl}${UNSUBSCRIBE_PATH}`
  return { ...content, html: withLink(content.html, link), text: withLink(content.text, link) }
}

async function buildIssue(week: IssueWeek, context: RequestContext): Promise<IssueContent> {
  const facts = await loadIssueInput(week, context)
  if (facts.datasets.length === 0) {
    throw new ApiError('service_unavailable', {
      message: 'The issue has no content yet: no data has been ingested.',
    })
  }
  const isDevDataset = facts.datasets.some((dataset) => dataset.isDevDataset)
  return renderIssue(week, issueSections(facts), isDevDataset)
}

async function loadIssueInput(week: IssueWeek, context: RequestContext): Promise<IssueInput> {
  const { database } = context
  const [changes, prices, rates, news] = await Promise.all([
    loadChanges(week, context),
    loadPriceMoves(database.prisma, week),
    loadRateMoves(database, week),
    loadSeriesNews(database, week),
  ])
  const datasets = ISSUE_READS.flatMap((name) => {
    const state = context.datasets.get(name)
    return state === undefined ? [] : [ageOf(name, state, context)]
  })
  const { series, hasMore: hasMoreSeries } = news
  return { week, ...changes, prices, rates, series, hasMoreSeries, datasets }
}

async function loadChanges({ start, end }: IssueWeek, context: RequestContext) {
  if (!context.datasets.has('analysis')) return { changes: [], hasMoreChanges: false }
  const { items, hasMore } = await getChanges(
    {
      filter: { since: start, analysisType: null, changeType: null },
      assetId: null,
      limit: MAX_CHANGES,
      // A position before the first change after the week.
      before: { computedAt: end, diffId: 0 },
      waitMs: 0,
    },
    context,
  )
  const changes = items.map(({ asset: { name, ticker }, computedAt, ...change }) => ({
    name,
    ticker,
    analysisType: change.analysisType,
    changeType: change.changeType,
    knownAt: computedAt,
    similarity: change.similarity,
  }))
  return { changes, hasMoreChanges: hasMore }
}

/** The best tier decides the freshness of datasets by tier. */
const TIER = 1

function ageOf(dataset: DatasetName, state: DatasetState, context: RequestContext): DatasetAge {
  const { observedAt, parts, isDevDataset } = state
  const { freshness_status: status, changesAt } = computeFreshness(
    kindOfDataset(dataset, TIER),
    observedAt,
    context.now,
  )
  if (changesAt !== null) context.validity?.endsBy(changesAt)
  const credits = [...new Set(parts.flatMap(({ attribution }) => attribution ?? []))]
  return {
    dataset,
    status,
    lastUpdatedAt: observedAt,
    sources: [...new Set(parts.map(({ source }) => source))],
    attribution: credits.length === 0 ? null : credits.join('; '),
    isDevDataset,
  }
}

export interface SendRequest {
  readonly issueId: string
  readonly isDryRun: boolean
}

const ISSUE_ID = /^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$/

/** Checks the issue id; 422 for an invalid one. */
export function parseSend(args: {
  readonly issue_id: string
  readonly dry_run?: Given<boolean>
}): SendRequest {
  if (!ISSUE_ID.test(args.issue_id)) {
    throw invalid({
      field: 'issue_id',
      message: 'must be an ISO 8601 week, for example 2026-W47',
    })
  }
  return { issueId: args.issue_id, isDryRun: args.dry_run ?? false }
}

/**
 * Starts sending an issue to all current subscribers, or returns the progress. The sender works independently of requests.
 * Each recipient gets an issue once, however often the request is repeated. 404 for an issue that is neither the one of the
 * preview nor sent before; 503 without a mail server. A dry run returns the number of mails.
 */
export async function sendIssue(
  { issueId, isDryRun }: SendRequest,
  context: RequestContext,
): Promise<SendProgress> {
  const { database, now } = context
  const stored = await findIssue(database.prisma, issueId)
  if (stored !== null) return progressOf(issueId, context, isDryRun)
  const week = lastWholeWeek(now)
  if (week.issueId !== issueId) throw noSuchIssue(issueId, week)
  if (isDryRun) return dryRun(issueId, await countSubscribers(database.prisma))
  requireRoute(context.ports.get(newsletterPort))
  const content = await buildIssue(week, context)
  await withOwnAccount(context, async (tx) => {
    const sendBy = new Date(now.getTime() + SEND_DAYS * DAY_MS)
    // Another request may have stored the issue first; then that issue is sent.
    if (!(await insertIssue(tx, content, { generatedAt: now, sendBy }))) return
    const recipients = await insertDeliveries(tx, issueId, now)
    await audit(tx, context, { action: 'newsletter_sent', details: { issue_id: issueId, recipients } })
  })
  return progressOf(issueId, context, isDryRun)
}

async function progressOf(
  issueId: string,
  { database }: RequestContext,
  isDryRun: boolean,
): Promise<SendProgress> {
  const [counts, issue] = await Promise.all([
    loadCounts(database, issueId),
    findIssue(database.prisma, issueId),
  ])
  return { issueId, ...counts, sentAt: issue?.sentAt ?? null, isDryRun }
}

function dryRun(issueId: string, recipients: number): SendProgress {
  const none = { accepted: 0, rejected: 0, failed: 0, unconfirmed: 0 }
  return { issueId, recipients, ...none, pending: recipients, sentAt: null, isDryRun: true }
}

function noSuchIssue(issueId: string, week: IssueWeek): ApiError {
  return notFound(
    (name) =>
      `Issue ${issueId} cannot be sent: the current issue is ${week.issueId}; ${name('newsletter_preview')} shows it.`,
  )
}

function requireRoute({ route }: Newsletter): void {
  if (route !== null) return
  throw new ApiError('service_unavailable', {
    message: 'No mail server is configured; the operator must set SMTP_URL and NEWSLETTER_FROM.',
  })
}
