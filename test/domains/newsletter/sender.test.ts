import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import {
  NEWSLETTER_WORK,
  openNext,
  settleLeft,
  settleMailDelivery,
} from '../../../src/domains/newsletter/delivery-store.js'
import { findIssue, loadCounts } from '../../../src/domains/newsletter/issues/issue-store.js'
import type { Newsletter } from '../../../src/domains/newsletter/model.js'
import { type Sender, startSender } from '../../../src/domains/newsletter/sender.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createMailTransport } from '../../../src/platform/mail/mail-transport.js'
import { parseSmtpUrl } from '../../../src/platform/mail/smtp-url.js'
import { createSignedLinks } from '../../../src/platform/secrets/signed-links.js'
import { addresses, addSubscribers, beginIssue } from '../../support/app/newsletter-world.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { heldShards, storeHeldShards } from '../../support/outbox/held-shards.js'
import {
  linksIn,
  type MailRules,
  type MailServer,
  reply,
  startMailServer,
} from '../../support/peers/mail-server.js'

const ISSUE = '2026-W46'
const NEXT = '2026-W47'

describe.each(availableDatabases())('the sender on %s', (kind) => {
  let database: Database
  let mail: MailServer
  const senders: Sender[] = []
  const warnings: unknown[] = []
  const log = {
    info: () => {},
    warn: (facts: unknown) => void warnings.push(facts),
    error: (facts: unknown) => void warnings.push(facts),
  }
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())
  beforeEach(async () => {
    warnings.length = 0
    await database.script(
      'truncate newsletter_delivery, newsletter_issue, newsletter_subscription, account cascade',
    )
    await lease(1)
  })
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.stop()
    await mail?.close()
  })

  const lease = (term: number) => storeHeldShards(database, NEWSLETTER_WORK, 1, term)
  const counts = (issueId = ISSUE) => loadCounts(database, issueId)

  async function start(rules: MailRules = {}, perMinute = 6_000, term = 1): Promise<Newsletter> {
    mail = await startMailServer(rules)
    const server = parseSmtpUrl(mail.url)
    const route = {
      from: { name: 'Market Data', address: 'news@gateway.example' },
      perMinute,
      newTransport: (connections: number) => createMailTransport(server, connections),
    }
    const newsletter: Newsletter = {
      links: createSignedLinks('a pepper for tests, 32 characters or more'),
      publicUrl: 'https://gateway.example',
      route,
    }
    const leases = heldShards(1, term)
    senders.push(startSender({ database, clock: systemClock, log, newsletter, route, leases, lookMs: 50 }))
    return newsletter
  }

  const finished = (issueId = ISSUE) =>
    vi.waitFor(async () => expect((await findIssue(database.prisma, issueId))?.sentAt).not.toBeNull(), {
      timeout: 20_000,
      interval: 50,
    })

  it('sends each recipient a separate mail with a link to unsubscribe by one click', async () => {
    const ids = await addSubscribers(database, addresses(30))
    await beginIssue(database, ISSUE, systemClock.now())
    const { links } = await start()
    await finished()
    expect(mail.mails.map(({ to }) => to).sort()).toEqual([...addresses(30)].sort())
    expect(new Set(mail.mails.map(({ headers }) => headers.get('message-id'))).size).toBe(30)
    for (const one of mail.mails) {
      const [link = ''] = linksIn(one)
      expect(one.headers.get('list-unsubscribe')).toBe(`<${link}>`)
      expect(one.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
      const token = new URL(link).searchParams.get('token') ?? ''
      const account = ids[addresses(30).indexOf(one.to)]
      expect(links.verify('newsletter-unsubscribe', token)?.accountId).toBe(account)
      expect(one.headers.get('message-id')).toBe(
        `<${ISSUE}.${links.opaqueName(`${ISSUE} ${account}`)}@gateway.example>`,
      )
    }
    expect(await counts()).toMatchObject({ recipients: 30, accepted: 30, pending: 0 })
    expect(mail.mostConnections()).toBeLessThanOrEqual(8)
  })

  it('skips an address after a permanent rejection, and retries after a temporary one', async () => {
    const emails = [
      'gone@example.org',
      'later@example.org',
      'policy@example.org',
      'spam@example.org',
      'ada@example.org',
    ]
    await addSubscribers(database, emails)
    await beginIssue(database, ISSUE, systemClock.now())
    const asked: string[] = []
    await start({
      onRecipient: (address) => {
        asked.push(address)
        if (address.startsWith('gone')) throw reply(550, '5.1.1 no such mailbox')
        if (address.startsWith('later')) throw reply(451, '4.7.1 greylisted')
        if (address.startsWith('policy')) throw reply(550, '5.7.1 not from you')
      },
      onMail: ({ to }) => {
        if (to.startsWith('spam')) throw reply(554, '5.6.0 not this')
      },
    })
    const soFar = { recipients: 5, accepted: 1, rejected: 2, failed: 1, unconfirmed: 0, pending: 1 }
    await vi.waitFor(async () => expect(await counts()).toEqual(soFar), { timeout: 10_000 })
    const refusedForNow = async () => {
      const [later] = await database.rows<{ wait: number; error: string | null }>(
        `select extract(epoch from d.next_attempt_at - d.opened_at)::float8 as wait, d.last_error as error
         from newsletter_delivery d join account a using (account_id) where a.email like 'later%'`,
      )
      return later
    }
    // It counts as pending before it is asked, too.
    await vi.waitFor(async () => expect((await refusedForNow())?.error).toBe('451 4.7.1'), {
      timeout: 10_000,
    })
    expect((await refusedForNow())?.wait).toBeGreaterThan(290)
    await database.script('update newsletter_delivery set next_attempt_at = now() where settled_at is null')
    await vi.waitFor(() => expect(asked.filter((email) => email.startsWith('later'))).toHaveLength(2), {
      timeout: 10_000,
    })

    await beginIssue(database, NEXT, systemClock.now())
    await vi.waitFor(async () => expect(await counts(NEXT)).toMatchObject({ recipients: 4, accepted: 1 }), {
      timeout: 10_000,
    })
    expect(asked.filter((email) => email.startsWith('gone'))).toHaveLength(1)
    expect(JSON.stringify(warnings)).not.toContain('@')
  })

  it('sends nothing to a recipient who unsubscribed or left before, and does not count them', async () => {
    const [first, second] = await addSubscribers(database, addresses(3))
    await beginIssue(database, ISSUE, systemClock.now())
    await database.rows(
      `update newsletter_subscription set ended_at = now(), end_reason = 'unsubscribed' where account_id = $1::uuid`,
      [first],
    )
    await database.rows('delete from newsletter_subscription where account_id = $1::uuid', [second])
    await start()
    await finished()
    expect(mail.mails.map(({ to }) => to)).toEqual(['reader2@example.org'])
    expect(await counts()).toMatchObject({ recipients: 1, accepted: 1, pending: 0 })
  })

  it('keeps the rate limit', async () => {
    await addSubscribers(database, addresses(6))
    await beginIssue(database, ISSUE, systemClock.now())
    await start({}, 300)
    await finished()
    const [opened] = await database.rows<{ span: number }>(
      `select extract(epoch from max(opened_at) - min(opened_at))::float8 * 1000 as span from newsletter_delivery`,
    )
    // Five intervals of 200 ms.
    expect(opened?.span).toBeGreaterThan(950)
  })

  it('waits for a failing mail server, and continues without a loss', async () => {
    await addSubscribers(database, addresses(5))
    await beginIssue(database, ISSUE, systemClock.now())
    let refusals = 2
    await start({
      options: {},
      onRecipient: () => {},
      onMail: () => {
        refusals -= 1
        if (refusals >= 0) throw reply(421, '4.3.2 shutting down')
      },
    })
    await vi.waitFor(() => expect(refusals).toBeLessThan(0), { timeout: 10_000 })
    // What the server said is stored a moment later.
    const refused = async () => {
      const rows = await database.rows("select from newsletter_delivery where last_error like '421%'")
      return rows.length
    }
    await vi.waitFor(async () => expect(await refused()).toBe(2), { timeout: 10_000 })
    await database.script('update newsletter_delivery set next_attempt_at = now() where settled_at is null')
    await finished()
    expect(mail.mails.map(({ to }) => to).sort()).toEqual(addresses(5))
  })

  it('drops mails that are too late', async () => {
    await addSubscribers(database, addresses(2))
    await beginIssue(database, ISSUE, new Date(Date.now() - 3 * 86_400_000))
    await start()
    await finished()
    expect([mail.mails.length, await counts()]).toEqual([
      0,
      expect.objectContaining({ recipients: 2, failed: 2 }),
    ])
  })

  it('of another term sends open mails again, unless the former sender had a reply by then', async () => {
    await addSubscribers(database, addresses(3))
    const now = systemClock.now()
    await beginIssue(database, ISSUE, now)
    const opened = await openNext(database, 1, now)
    const slow = await openNext(database, 1, now)
    if (opened === null || slow === null) throw new Error('nothing was due')
    await lease(2)
    expect(await openNext(database, 1, now)).toBeNull()
    expect(await settleLeft(database, 2, now)).toEqual({ recovered: 2 })
    expect(await counts()).toMatchObject({ pending: 3 })
    const end = { state: 'accepted', at: now, nextAttemptAt: null, codes: null } as const
    expect(await settleMailDelivery(database, slow, end)).toBe(true)
    await start({}, 6_000, 2)
    await finished()
    expect(mail.mails.map(({ to }) => to).sort()).toEqual(
      addresses(3).filter((email) => email !== slow.email),
    )
    expect(await counts()).toMatchObject({ recipients: 3, accepted: 3 })
    // The first sender was only slow: its reply comes after the end of another attempt.
    expect(await settleMailDelivery(database, opened, { ...end, state: 'failed' })).toBe(false)
    expect(await counts()).toMatchObject({ accepted: 3, failed: 0 })
  })
})
