import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { linksIn, type MailServer, reply, startMailServer } from '../../support/peers/mail-server.js'

interface Preview {
  readonly data: {
    readonly issue_id: string
    readonly subject: string
    readonly html: string
    readonly text: string
    readonly generated_at: string
    readonly sections: readonly {
      readonly key: string
      readonly columns: readonly string[]
      readonly rows: readonly { readonly cells: readonly string[] }[]
    }[]
  }
  readonly meta: Readonly<Record<string, unknown>>
  readonly _meta: Readonly<Record<string, unknown>>
}

interface Refusal {
  readonly error: string
  readonly message: string
  readonly required_scope?: string
}

interface Subscription {
  readonly status: string
  readonly since: string
  readonly confirmation_sent_at: string | null
}

interface Sent {
  readonly data: Readonly<Record<string, unknown>>
}

/** The last whole week before the seeded world's clock, a Friday. */
const ISSUE = '2026-W46'

describe('the newsletter', () => {
  let mail: MailServer
  let app: TestApp
  let starter: string
  let admin: string
  beforeAll(async () => {
    mail = await startMailServer({
      onRecipient: (address) => {
        if (address.startsWith('gone')) throw reply(550, '5.1.1 no such mailbox')
        if (address.startsWith('later')) throw reply(451, '4.2.0 try again later')
      },
    })
    app = await startTestApp(quickestDatabase(), {
      env: { SMTP_URL: mail.url, NEWSLETTER_FROM: 'Market Data <news@gateway.example>' },
    })
    starter = await app.newKey({ tier: 'starter' })
    admin = await app.newKey({ tier: 'free', grants: ['admin'] })
  })
  afterAll(async () => {
    await app?.close()
    await mail?.close()
  })

  const open = (url: string, options: CallOptions = {}) =>
    app.rest<Refusal>(new URL(url).href.slice(new URL(url).origin.length), options)
  const subscribe = (key: string) => app.rest<Subscription>('/auth/me/newsletter', { key, method: 'POST' })
  const send = <Body = Sent>(key: string, body: object) =>
    app.rest<Body>('/v1/newsletter/send', { key, method: 'POST', body })
  const audited = async (email: string) => {
    const account = await app.database.prisma.account.findFirstOrThrow({ where: { email } })
    const events = await app.database.prisma.auditEvent.findMany({
      where: { accountId: account.accountId, action: { startsWith: 'newsletter' } },
      orderBy: { at: 'asc' },
    })
    return events.map(({ action }) => action).sort()
  }

  it('shows the last whole week with every section, escaped and with the disclaimer', async () => {
    const { status, body } = await app.rest<Preview>('/v1/newsletter/preview', { key: starter })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      issue_id: ISSUE,
      subject: `[synthetic data] Market data, week ${ISSUE}`,
      generated_at: '2026-11-20T12:00:00.000Z',
    })
    expect(body.data.sections.map(({ key, rows }) => [key, rows.length > 0])).toEqual([
      ['changes', false],
      ['prices', true],
      ['series', true],
      ['freshness', true],
    ])
    for (const { columns, rows } of body.data.sections) {
      for (const { cells } of rows) expect(cells).toHaveLength(columns.length)
    }
    expect(body.meta).toMatchObject({
      is_dev_dataset: true,
      disclaimer: 'Not financial advice. Not a fatwa. Methodology disclosed.',
      data_quality: 'full',
      computed_at: '2026-11-20T12:00:00.000Z',
    })
    for (const rendering of [body.data.html, body.data.text.replace(/\s+/g, ' ')]) {
      expect(rendering).toContain('Not financial advice. Not a fatwa. Methodology disclosed.')
      expect(rendering).toContain('Ceci n’est ni un conseil financier ni une fatwa.')
      expect(rendering).toContain('These figures are synthetic')
    }
    expect(body.data.text.split('\n').filter((line) => line.length > 72 && line.includes(' '))).toEqual([])
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(100_000)
  })

  it('is the same in GraphQL, and is repeated while the data are unchanged', async () => {
    const first = await app.rest<Preview>('/v1/newsletter/preview', { key: starter })
    const again = await app.rest<Preview>('/v1/newsletter/preview', { key: starter })
    expect(again.body.meta.cache_hit).toBe(true)
    expect(again.body.data).toEqual(first.body.data)
    const asked = await app.graphql<{ newsletter_preview: { data: Preview['data'] } }>(
      '{ newsletter_preview { data { issue_id subject html text generated_at sections { key columns rows { cells } } } } }',
      { key: starter },
    )
    const { sections, ...rest } = first.body.data
    expect(asked.body.data?.newsletter_preview.data).toMatchObject(rest)
    expect(asked.body.data?.newsletter_preview.data.sections).toMatchObject(
      sections.map(({ key, columns, rows }) => ({ key, columns, rows })),
    )
  })

  it('is shown to and sent by authorized callers only', async () => {
    const free = await app.newKey({ tier: 'free' })
    const preview = await app.rest<Refusal>('/v1/newsletter/preview', { key: free })
    expect([preview.status, preview.body.required_scope]).toEqual([403, 'instruments:read'])
    const enterprise = await app.newKey({ tier: 'enterprise' })
    const refused = await send<Refusal>(enterprise, { issue_id: ISSUE })
    expect([refused.status, refused.body.required_scope]).toEqual([403, 'admin'])
    expect((await app.rest('/auth/me/newsletter', { method: 'POST' })).status).toBe(401)
  })

  it('sends an address only a confirmation mail before its owner confirms by the button', async () => {
    const key = await app.newKey({ tier: 'free', email: 'ada@example.org' })
    const asked = await subscribe(key)
    expect([asked.status, asked.body]).toEqual([
      200,
      {
        status: 'pending',
        since: '2026-11-20T12:00:00.000Z',
        confirmation_sent_at: '2026-11-20T12:00:00.000Z',
      },
    ])
    const [request] = mail.mails.filter(({ to }) => to === 'ada@example.org')
    expect(request?.headers.get('subject')).toBe('Confirm the newsletter')
    expect(request?.headers.get('from')).toBe('Market Data <news@gateway.example>')
    const [link = ''] = request ? linksIn(request) : []
    expect(link).toMatch(/\/newsletter\/confirm\?token=[\w-]{72}$/)

    const dryRun = () => send(admin, { issue_id: ISSUE, dry_run: true })
    expect((await dryRun()).body.data).toMatchObject({ recipients: 0, dry_run: true })
    // A program that looks at links changes nothing.
    const page = await open(link, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).toContain('<form method="post">')
    expect(page.text).not.toContain('<script')
    expect((await dryRun()).body.data).toMatchObject({ recipients: 0 })

    const done = await open(link, { method: 'POST', headers: { accept: 'text/html' } })
    expect([done.status, done.text.includes('You will receive the next issue')]).toEqual([200, true])
    expect((await open(link, { method: 'POST' })).status).toBe(200)
    expect((await dryRun()).body.data).toEqual({
      issue_id: ISSUE,
      recipients: 1,
      accepted: 0,
      rejected: 0,
      failed: 0,
      unconfirmed: 0,
      pending: 1,
      sent_at: null,
      dry_run: true,
    })
    expect((await subscribe(key)).body.status).toBe('subscribed')
    expect(mail.mails.filter(({ to }) => to === 'ada@example.org')).toHaveLength(1)
    expect(await audited('ada@example.org')).toEqual(['newsletter_confirmed', 'newsletter_requested'])

    const ended = await app.rest('/auth/me/newsletter', { key, method: 'DELETE' })
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect((await app.rest('/auth/me/newsletter', { key, method: 'DELETE' })).status).toBe(204)
    expect((await dryRun()).body.data).toMatchObject({ recipients: 0 })
    // The link confirmed what is over.
    expect((await open(link, { method: 'POST' })).status).toBe(422)
  })

  it('refuses a confirmation mail without an address or too often, and retries later if the server asks for it', async () => {
    const gone = await app.newKey({ tier: 'free', email: 'gone@example.org' })
    const refused = await app.rest<Refusal>('/auth/me/newsletter', { key: gone, method: 'POST' })
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict'])
    const later = await app.newKey({ tier: 'free', email: 'later@example.org' })
    const busy = await app.rest<Refusal>('/auth/me/newsletter', { key: later, method: 'POST' })
    expect([busy.status, busy.body.error]).toEqual([503, 'service_unavailable'])
    expect(busy.text).not.toContain('later@')
    await subscribe(later)
    await subscribe(later)
    expect((await subscribe(later)).status).toBe(429)
    const nameless = await app.newKey({ tier: 'free' })
    expect((await subscribe(nameless)).status).toBe(409)
    expect(app.logLines.filter((line) => line.includes('@example.org'))).toEqual([])
  })

  it('does not confirm by an expired link, or by one for another purpose or an earlier request', async () => {
    const key = await app.newKey({ tier: 'free', email: 'old@example.org' })
    const linkOf = (at: number) =>
      linksIn(mail.mails.filter(({ to }) => to === 'old@example.org')[at] as never)[0] ?? ''
    await subscribe(key)
    app.clock.advance(1_000)
    await subscribe(key)
    const [earlier, newest] = [linkOf(0), linkOf(1)]
    expect((await open(earlier, { method: 'POST' })).status).toBe(422)
    expect((await open(newest.replace('confirm', 'unsubscribe'))).status).toBe(422)
    expect((await open(newest.slice(0, -1))).status).toBe(422)
    app.clock.advance(48 * 3_600_000 + 1)
    const late = await open(newest, { method: 'POST' })
    expect([late.status, late.body.error]).toEqual([422, 'validation_error'])
    expect(late.body.message).toContain('POST /auth/me/newsletter sends a new link')
    const page = await open(newest, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8'])
    expect((await open(newest, { method: 'PUT' })).status).toBe(405)
    app.clock.advance(-48 * 3_600_000 - 1_001)
  })

  it('sends an issue once with its first content, and reports the progress', async () => {
    const account = await app.database.prisma.account.findFirstOrThrow({
      where: { email: 'ada@example.org' },
    })
    await app.database.prisma.newsletterSubscription.update({
      where: { accountId: account.accountId },
      data: { confirmedAt: app.clock.now(), endedAt: null, endReason: null },
    })
    const wrong = await send<Refusal>(admin, { issue_id: '2026-W45' })
    expect([wrong.status, wrong.body.message]).toEqual([
      404,
      `Issue 2026-W45 cannot be sent: the current issue is ${ISSUE}; GET /v1/newsletter/preview shows it.`,
    ])
    expect((await send(admin, { issue_id: 'next' })).status).toBe(422)
    const preview = await app.rest<Preview>('/v1/newsletter/preview', { key: starter })
    const first = await send(admin, { issue_id: ISSUE })
    expect(first.body.data).toMatchObject({
      recipients: 1,
      pending: 1,
      accepted: 0,
      sent_at: null,
      dry_run: false,
    })
    const stored = await app.database.prisma.newsletterIssue.findUniqueOrThrow({ where: { issueId: ISSUE } })
    expect(stored.contentHash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(stored.subject).toBe(preview.body.data.subject)
    // Who subscribes now gets the next one.
    const key = await app.newKey({ tier: 'free', email: 'new@example.org' })
    await subscribe(key)
    const [link = ''] = linksIn(mail.mails.filter(({ to }) => to === 'new@example.org')[0] as never)
    expect((await open(link, { method: 'POST' })).status).toBe(200)
    const again = await Promise.all([1, 2, 3].map(() => send(admin, { issue_id: ISSUE })))
    for (const { body } of again) expect(body.data).toEqual(first.body.data)
    expect(await app.database.prisma.newsletterDelivery.count()).toBe(1)
    const events = await app.database.prisma.auditEvent.findMany({ where: { action: 'newsletter_sent' } })
    expect(events.map(({ details }) => details)).toEqual([{ issue_id: ISSUE, recipients: 1 }])
  })

  it('ends with the account', async () => {
    const { access_token: token } = (
      await app.rest<{ access_token: string }>('/auth/register', {
        method: 'POST',
        body: { email: 'leaver@example.org', password: 'correct horse battery' },
      })
    ).body
    const headers = { authorization: `Bearer ${token}` }
    await app.rest('/auth/me/newsletter', { method: 'POST', headers })
    const before = await app.database.prisma.newsletterSubscription.count()
    expect((await app.rest('/auth/me', { method: 'DELETE', headers })).status).toBe(204)
    expect(await app.database.prisma.newsletterSubscription.count()).toBe(before - 1)
  })

  it('names the changes of analyses that became known in its week', async () => {
    app.clock.advance(4 * 86_400_000)
    const { body } = await app.rest<Preview>('/v1/newsletter/preview', { key: starter })
    const [changes] = body.data.sections
    expect([body.data.issue_id, changes?.rows.length]).toEqual(['2026-W47', 20])
    expect(new Set(changes?.rows.map(({ cells }) => cells[3]))).toEqual(new Set(['2026-11-20']))
    expect(body.data.text).toContain('Not all changes are shown here; the feed')
  })
})

describe('without a mail server', () => {
  it('keeps a subscription unconfirmed, and names what is missing to send', async () => {
    const app = await startTestApp(quickestDatabase())
    try {
      const key = await app.newKey({ tier: 'free', email: 'ada@example.org' })
      const asked = await app.rest<Subscription>('/auth/me/newsletter', { key, method: 'POST' })
      expect([asked.status, asked.body.status, asked.body.confirmation_sent_at]).toEqual([
        200,
        'pending',
        null,
      ])
      const admin = await app.newKey({ tier: 'starter', grants: ['admin'] })
      const post = (body: object) =>
        app.rest<Refusal>('/v1/newsletter/send', { key: admin, method: 'POST', body })
      const refused = await post({ issue_id: ISSUE })
      expect([refused.status, refused.body.message]).toEqual([
        503,
        'No mail server is configured; the operator must set SMTP_URL and NEWSLETTER_FROM.',
      ])
      expect((await post({ issue_id: ISSUE, dry_run: true })).status).toBe(200)
      expect((await app.rest('/v1/newsletter/preview', { key: admin })).status).toBe(200)
      expect(await app.database.prisma.newsletterIssue.count()).toBe(0)
    } finally {
      await app.close()
    }
  })
})
