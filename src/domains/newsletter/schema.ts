import { DISCLAIMER_META, derivedMeta } from '../../core/disclaimer.js'
import type { UsedState } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { ApiMeta } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, defineEnvelope, type Envelope, envelope } from '../../schema-kit/envelope.js'
import { hints, mutationEndpoint, queryEndpoint } from '../../schema-kit/fields.js'
import { ISSUE_READS, parseSend, previewIssue, sendIssue } from './issues/issue-service.js'
import {
  CONFIRM_HOURS,
  CONFIRMATIONS_PER_ACCOUNT,
  ISSUE_METHODOLOGY,
  type IssueContent,
  type IssueSection,
  type SendProgress,
} from './model.js'
import { isConfirmed, subscribe, unsubscribe } from './subscription-service.js'

const StatusType = describedEnum('NewsletterStatus', 'Whether an account gets the newsletter.', {
  pending: 'Its e-mail address is not confirmed yet: no newsletter is sent to it.',
  subscribed: 'It gets the next issue.',
})

// Without `select`: the rules of a request have read, or made, the whole row.
const SubscriptionType = builder.prismaObject('NewsletterSubscription', {
  description: 'The newsletter of an account.',
  fields: (t) => ({
    status: t.field({
      type: StatusType,
      description: 'pending or subscribed.',
      resolve: (subscription) => (isConfirmed(subscription) ? 'subscribed' : 'pending'),
    }),
    since: t.expose('requestedAt', { type: 'DateTime', description: 'When it was asked for.' }),
    confirmation_sent_at: t.expose('confirmSentAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the mail with the link that confirms the address was sent. Null: this gateway has no mail server now; ask again later.',
    }),
  }),
})

mutationEndpoint('newsletter_subscribe', {
  summary: 'Subscribe to the newsletter',
  description: `Asks for the weekly newsletter for the e-mail address of the account. A mail with a link that works for ${CONFIRM_HOURS} hours asks the address first; another request sends it again, ${CONFIRMATIONS_PER_ACCOUNT.limit} times a day. 409 when the account has no address or a mail server refuses it for good.`,
  access: 'caller',
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
    'Ends the newsletter of the account; mails that are not sent yet are not sent. Doing it again changes nothing. True when done.',
  access: 'caller',
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
  fields: (t) => ({
    cells: t.expose('cells', { type: ['String'], description: 'One text per column, as it is shown.' }),
  }),
})

const SectionType = builder.objectRef<IssueSection>('NewsletterSection').implement({
  description: 'A section of an issue: a table.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'changes, prices, series or freshness.' }),
    title: t.exposeString('title', { description: 'Heading.' }),
    note: t.exposeString('note', { description: 'What the rows are, or why there are none.' }),
    columns: t.expose('columns', { type: ['String'], description: 'Headings of the columns.' }),
    rows: t.expose('rows', { type: [RowType], description: 'Rows, at most 30.' }),
  }),
})

interface Preview extends IssueContent {
  readonly generatedAt: Date
}

const PreviewType = builder.objectRef<Preview>('NewsletterIssuePreview').implement({
  description: 'An issue of the newsletter as it would be sent now.',
  fields: (t) => ({
    issue_id: t.exposeString('issueId', {
      description: 'ISO 8601 week that it is about: the last whole one, Monday to Sunday UTC.',
    }),
    subject: t.exposeString('subject', { description: 'Subject of the mail.' }),
    html: t.exposeString('html', {
      description:
        'The mail as HTML: every text is escaped, and nothing is loaded from elsewhere. In a mail the link to unsubscribe is the recipient’s own.',
    }),
    text: t.exposeString('text', { description: 'The mail as plain text, wrapped at 72 characters.' }),
    sections: t.expose('sections', { type: [SectionType], description: 'What both are made of.' }),
    generated_at: t.expose('generatedAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

queryEndpoint('newsletter_preview', {
  summary: 'Preview of the newsletter',
  description:
    'The issue about the last whole week: changes of analyses, the largest moves of consensus prices, exchange rates and new values of central banks, and how fresh the data are. It follows the data until it is sent; what is sent never changes.',
  access: 'instruments:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/newsletter/preview', tag: 'newsletter' },
  reads: ISSUE_READS,
  errors: ['service_unavailable'],
  type: defineEnvelope(PreviewType),
  check: () => null,
  resolve: async (_, context) => {
    const content = await previewIssue(context)
    // Analyses need not change in a week.
    const isFull = content.sections.every(({ key, rows }) => key === 'changes' || rows.length > 0)
    return issueEnvelope(
      context,
      { ...content, generatedAt: context.now },
      { ...derivedMeta(ISSUE_METHODOLOGY, context.now), data_quality: isFull ? 'full' : 'partial' },
    )
  },
})

/** As old as the newest fact that an issue can be made from, and synthetic when any is. */
function issueEnvelope<Data>(context: RequestContext, data: Data, meta: Partial<ApiMeta>): Envelope<Data> {
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
  description: 'How far an issue is sent.',
  fields: (t) => ({
    issue_id: t.exposeString('issueId', { description: 'ISO 8601 week of the issue.' }),
    recipients: t.exposeInt('recipients', {
      description:
        'Accounts that it goes to: those that were subscribed when it was first sent, less those that unsubscribed before their mail. The sum of accepted, rejected, failed, unconfirmed and pending.',
    }),
    accepted: t.exposeInt('accepted', { description: 'Mails that the mail server has taken.' }),
    rejected: t.exposeInt('rejected', {
      description:
        'Addresses that the mail server refuses for good. Unless it is by a policy (5.7.x), their subscription has ended.',
    }),
    failed: t.exposeInt('failed', {
      description:
        'Mails that the mail server refuses for what they say, or that could not be sent within 3 days.',
    }),
    unconfirmed: t.exposeInt('unconfirmed', {
      description:
        'Mails whose end was sent, or about to be, when the connection or the process ended: the mail server has most likely taken them. They are not sent again.',
    }),
    pending: t.exposeInt('pending', {
      description: 'Mails that are still to be sent; of a dry run: would be.',
    }),
    sent_at: t.expose('sentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last mail was settled. Null while some are pending, and for a dry run.',
    }),
    dry_run: t.exposeBoolean('isDryRun', { description: 'True: nothing is sent by this request.' }),
  }),
})

mutationEndpoint('newsletter_send', {
  summary: 'Send the newsletter',
  description:
    'Begins to send an issue to all who are subscribed, at the rate of NEWSLETTER_RATE, and answers at once. The same issue_id again sends nothing twice and says how far it is. 404 for an issue that is neither that of the preview nor sent before; 503 without a mail server (SMTP_URL).',
  access: 'admin',
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/newsletter/send', tag: 'newsletter' },
  errors: ['not_found', 'service_unavailable'],
  type: defineEnvelope(SendResponseType, 'NewsletterSendEnvelope'),
  args: (arg) => ({
    issue_id: arg.string({
      required: true,
      description: 'The week of the issue, as the preview names it.',
      ...hints({ example: '2026-W47', maxLength: 8 }),
    }),
    dry_run: arg.boolean({
      defaultValue: false,
      description: 'True: says how many mails it would be, and sends none.',
    }),
  }),
  check: (args) => parseSend(args),
  resolve: async (request, context) =>
    issueEnvelope(context, await sendIssue(request, context), DISCLAIMER_META),
})
