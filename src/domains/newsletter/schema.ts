import { DISCLAIMER_META, derivedMeta } from '../../core/disclaimer.js'
import type { UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import {
  type AnswerMeta,
  datasetStateOf,
  defineEnvelope,
  type Envelope,
  envelope,
} from '../../schema-kit/envelope.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../schema-kit/fields.js'
import { flag, instant, integer, shownAs, shownFields, text, texts } from '../../schema-kit/shown-fields.js'
import { ISSUE_READS, parseSend, previewIssue, sendIssue } from './issues/issue-service.js'
import {
  CONFIRM_HOURS,
  CONFIRMATIONS_PER_ACCOUNT,
  ISSUE_METHOD,
  type IssueContent,
  type IssueSection,
  type SendProgress,
} from './model.js'
import { isConfirmed, subscribe, unsubscribe } from './subscription-service.js'

const StatusType = describedEnum('NewsletterStatus', 'Whether an account receives the newsletter.', {
  pending: 'The e-mail address is not confirmed yet, so no newsletter is sent.',
  subscribed: 'The account receives the next issue.',
})

// No `select`, because the service reads or creates the whole row.
const SubscriptionType = builder.prismaObject('NewsletterSubscription', {
  description: 'Newsletter subscription of an account.',
  fields: (t) =>
    shownFields(t, {
      status: t.field({
        type: StatusType,
        description: 'Whether the subscription is confirmed.',
        resolve: (subscription) => (isConfirmed(subscription) ? 'subscribed' : 'pending'),
      }),
      since: instant('When the subscription was requested.', 'requestedAt'),
      confirmation_sent_at: instant.orNull(
        'When the mail with the confirmation link was sent. Null when this gateway has no mail server now; subscribe again later.',
        'confirmSentAt',
      ),
    }),
})

mutationEndpoint('newsletter_subscribe', {
  summary: 'Subscribe to the newsletter',
  description: `Subscribes the e-mail address of the account to the weekly newsletter. The gateway first sends a mail with a confirmation link, which works for ${CONFIRM_HOURS} hours. Repeating the request sends that mail again, at most ${CONFIRMATIONS_PER_ACCOUNT.limit} times a day. 409 when the account has no e-mail address or a mail server rejected it permanently.`,
  access: 'account',
  cost: 'metered',
  rest: { method: 'POST', path: '/auth/me/newsletter', tag: 'newsletter' },
  errors: ['conflict', 'rate_limit_exceeded', 'service_unavailable'],
  type: SubscriptionType,
  check: () => null,
  resolve: (_, context) => subscribe(context),
})

mutationEndpoint('newsletter_unsubscribe', {
  summary: 'Unsubscribe from the newsletter',
  description:
    'Ends the newsletter subscription of the account. Mails that are not sent yet are dropped. Repeating the call changes nothing. Returns true.',
  access: 'account',
  cost: 'free',
  rest: { method: 'DELETE', path: '/auth/me/newsletter', tag: 'newsletter', status: 204 },
  type: 'Boolean',
  check: () => null,
  resolve: async (_, context) => {
    await unsubscribe(context)
    return true
  },
})

const RowType = builder.objectRef<IssueSection['rows'][number]>('NewsletterRow').implement({
  description: 'A row of a section.',
  fields: (t) =>
    shownFields(t, {
      cells: texts('One text per column.'),
    }),
})

const SectionType = builder.objectRef<IssueSection>('NewsletterSection').implement({
  description: 'A section of an issue, which is a table.',
  fields: (t) =>
    shownFields(t, {
      key: text('Key of the section: changes, prices, series or freshness.'),
      title: text('Heading.'),
      note: text('What the rows show, or why the section is empty.'),
      columns: texts('Headings of the columns.'),
      rows: shownAs([RowType])('Rows, at most 30.'),
    }),
})

interface Preview extends IssueContent {
  readonly generatedAt: Date
}

const PreviewType = builder.objectRef<Preview>('NewsletterIssuePreview').implement({
  description: 'An issue of the newsletter as it would be sent now.',
  fields: (t) =>
    shownFields(t, {
      issue_id: text('ISO 8601 week of the issue: the last whole week, Monday to Sunday UTC.', 'issueId'),
      subject: text('Subject of the mail.'),
      html: text(
        'The mail as HTML. All text is escaped and no external content is loaded. In a sent mail, each recipient has a personal link to unsubscribe.',
      ),
      text: text('The mail as plain text, wrapped at 72 characters.'),
      sections: shownAs([SectionType])('Content of the mail as tables.'),
      generated_at: instant('When the issue was generated.', 'generatedAt'),
    }),
})

queryEndpoint('newsletter_preview', {
  summary: 'Preview of the newsletter',
  keywords: ['weekly summary', 'digest', 'newsletter'],
  description:
    'The issue about the last whole week: changes of analyses, the largest moves of consensus prices, exchange rates, new values of central banks, and the freshness of the data. The preview follows the data until the issue is sent. A sent issue never changes.',
  access: 'instruments:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/newsletter/preview', tag: 'newsletter' },
  reads: ISSUE_READS,
  errors: ['service_unavailable'],
  type: defineEnvelope(PreviewType),
  check: () => null,
  resolve: async (_, context) => {
    const content = await previewIssue(context)
    // A week may have no changes of analyses.
    const isFull = content.sections.every(({ key, rows }) => key === 'changes' || rows.length > 0)
    return issueEnvelope(
      context,
      { ...content, generatedAt: context.now },
      { ...derivedMeta(ISSUE_METHOD, context.now), data_quality: isFull ? 'full' : 'partial' },
    )
  },
})

/** As old as the newest possible fact of an issue, and synthetic if any fact is. */
function issueEnvelope<Data>(context: RequestContext, data: Data, meta: AnswerMeta): Envelope<Data> {
  const states = ISSUE_READS.flatMap((name) => context.datasets.get(name) ?? [])
  const [first = datasetStateOf(context, 'instruments'), ...others] = states
  const newest = others.reduce((a, b) => (b.observedAt > a.observedAt ? b : a), first)
  const used: UsedState = {
    ...newest,
    isDevDataset: states.some(({ isDevDataset }) => isDevDataset),
    sources: [...new Set(states.map(({ source }) => source))],
  }
  return envelope(context, used, 'daily', data, { locale: 'en', ...meta })
}

const SendResponseType = builder.objectRef<SendProgress>('NewsletterSendResponse').implement({
  description: 'Progress of sending an issue.',
  fields: (t) =>
    shownFields(t, {
      issue_id: text('ISO 8601 week of the issue.', 'issueId'),
      recipients: integer(
        'Number of accounts that receive the issue: all that were subscribed when sending began, except those that unsubscribed before their mail was sent. It is the sum of accepted, rejected, failed, unconfirmed and pending.',
      ),
      accepted: integer('Mails that the mail server accepted.'),
      rejected: integer(
        'Addresses that the mail server rejected permanently. Their subscriptions have ended, except when the reason was a policy (5.7.x).',
      ),
      failed: integer(
        'Mails that the mail server rejected because of their content, or that could not be sent within 3 days.',
      ),
      unconfirmed: integer(
        'Mails whose transmission was interrupted at its end. The mail server has most likely accepted them, so they are not sent again.',
      ),
      pending: integer('Mails that are not sent yet; in a dry run, mails that would be sent.'),
      sent_at: instant.orNull(
        'When the last mail was sent or given up. Null while mails are pending and for a dry run.',
        'sentAt',
      ),
      dry_run: flag('True when this request sent nothing.', 'isDryRun'),
    }),
})

mutationEndpoint('newsletter_send', {
  summary: 'Send the newsletter',
  description:
    'Starts sending an issue to all subscribers at the rate of NEWSLETTER_RATE and returns at once. Repeating the request with the same issue_id returns the progress; no recipient gets an issue twice. 404 when the issue is neither the one of the preview nor sent before. 503 when no mail server is configured (SMTP_URL).',
  access: 'admin',
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/newsletter/send', tag: 'newsletter' },
  errors: ['not_found', 'service_unavailable'],
  type: defineEnvelope(SendResponseType, 'NewsletterSendEnvelope'),
  args: (arg) => ({
    issue_id: arg.string({
      required: true,
      description: 'Week of the issue, as the preview returns it.',
      ...hints({ example: '2026-W47', maxLength: 8 }),
    }),
    dry_run: arg.boolean({
      defaultValue: false,
      description: 'When true, returns the number of mails but sends none.',
      // Samples of the documentation send no mail.
      ...hints({ example: true }),
    }),
  }),
  check: (args) => parseSend(args),
  resolve: async (request, context) =>
    issueEnvelope(context, await sendIssue(request, context), DISCLAIMER_META),
})
