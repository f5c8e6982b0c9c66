import { exponentialBackOffMs } from '../../core/exponential-back-off.js'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { isMailAddress } from '../../platform/mail/mail-address.js'
import type { MailTransport, SendOutcome } from '../../platform/mail/mail-transport.js'
import { settleUntilStored } from '../../platform/outbox/settle-until-stored.js'
import type { BegunWork } from '../../platform/outbox/sharded-outbox.js'
import {
  type MailDeliveryEnd,
  type OpenMailDelivery,
  openNext,
  settleMailDelivery,
} from './delivery-store.js'
import { findIssue, type IssueRow } from './issues/issue-store.js'
import { issueMail } from './mails.js'
import type { MailRoute, Newsletter } from './model.js'
import type { RateLimiter } from './rate-limiter.js'

export interface DeliveriesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly newsletter: Newsletter
  readonly route: MailRoute
}

/** Waits after consecutive failures of the mail server. */
const PAUSE = { firstMs: 1_000, maxMs: 300_000 }

/** After this many rejected addresses in a row the mail server probably rejects the sender. */
const MAX_REFUSED_IN_A_ROW = 20

/** Delays before a mail is tried again after a temporary rejection, for instance by greylisting. */
const RETRY = { firstMs: 300_000, maxMs: 4 * 3_600_000 }

/**
 * Sends mails one by one. A mail is `open` until the mail server's response is stored. If the process is killed before, the
 * mail is sent again, with the same Message-ID: see the newsletter guide.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions
  #failuresInARow = 0
  #refusedInARow = 0
  #issue: IssueRow | null = null

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** How long the mail server gets no mail; 0 after it accepted or properly rejected the last one. */
  pauseMs(): number {
    return this.#failuresInARow === 0 ? 0 : exponentialBackOffMs(this.#failuresInARow, PAUSE)
  }

  /** Sends one mail after the other until none is due, the server fails or the shard is lost. */
  async run(work: BegunWork, pace: RateLimiter, transport: MailTransport): Promise<void> {
    const failuresBefore = this.#failuresInARow
    try {
      while (work.isValid() && this.#failuresInARow <= failuresBefore) {
        await pace.acquire(work.signal)
        const delivery = await openNext(this.#options.database, work.term, this.#options.clock.now())
        if (delivery === null) return
        await this.#deliver(transport, delivery, work)
      }
    } catch (error) {
      if (!work.signal.aborted) throw error
    }
  }

  async #deliver(transport: MailTransport, delivery: OpenMailDelivery, work: BegunWork): Promise<void> {
    const { clock, newsletter, route, log } = this.#options
    const { email, issueId, accountId } = delivery
    if (!isMailAddress(email)) return this.#settle(delivery, addressEnd('malformed', clock.now()), work)
    const issue = await this.#issueOf(issueId)
    const message = await issueMail(newsletter, route, issue, { accountId, email }, clock.now())
    const outcome = await transport.send({ from: route.from.address, to: email, message })
    this.#judge(outcome)
    if (outcome.kind !== 'accepted') {
      log.warn({ issue: issueId, account_id: accountId, ...outcome }, 'the mail server did not accept a mail')
    }
    await this.#settle(delivery, endOf(outcome, delivery, clock.now()), work)
  }

  /** Issues never change. */
  async #issueOf(issueId: string): Promise<IssueRow> {
    if (this.#issue?.issueId === issueId) return this.#issue
    const issue = await findIssue(this.#options.database.prisma, issueId)
    if (issue === null) throw new Error(`issue ${issueId} is not stored`)
    this.#issue = issue
    return issue
  }

  #judge(outcome: SendOutcome): void {
    const isOfAddress = isAddressRefused(outcome)
    this.#refusedInARow = isOfAddress ? this.#refusedInARow + 1 : 0
    const isFailure =
      outcome.kind === 'unsent' ||
      outcome.kind === 'unconfirmed' ||
      (outcome.kind === 'refused' && outcome.stage === 'sender') ||
      this.#refusedInARow >= MAX_REFUSED_IN_A_ROW
    this.#failuresInARow = isFailure ? this.#failuresInARow + 1 : 0
  }

  async #settle(delivery: OpenMailDelivery, end: MailDeliveryEnd, { mayWrite }: BegunWork): Promise<void> {
    const { database, log } = this.#options
    const settling = { mayWrite, log, outcome: 'the answer to a mail' }
    await settleUntilStored(settling, () => settleMailDelivery(database, delivery, end))
  }
}

/** A permanent rejection of the address, not one by policy (5.7.x), which concerns the sender or the mail. */
function isAddressRefused(outcome: SendOutcome): boolean {
  return (
    outcome.kind === 'refused' &&
    outcome.stage === 'recipient' &&
    outcome.isPermanent &&
    !/^\d{3} 5\.7\./.test(outcome.codes)
  )
}

function addressEnd(codes: string, at: Date): MailDeliveryEnd {
  return { state: 'rejected', at, nextAttemptAt: null, codes, endsSubscription: true }
}

function endOf(outcome: SendOutcome, { attempts }: OpenMailDelivery, at: Date): MailDeliveryEnd {
  if (outcome.kind === 'accepted') return { state: 'accepted', at, nextAttemptAt: null, codes: null }
  const { codes } = outcome
  if (outcome.kind === 'unconfirmed') return { state: 'unconfirmed', at, nextAttemptAt: null, codes }
  if (isAddressRefused(outcome)) return addressEnd(codes, at)
  const isOfMail = outcome.kind === 'refused' && outcome.stage !== 'sender'
  if (isOfMail && outcome.isPermanent) {
    const state = outcome.stage === 'recipient' ? 'rejected' : 'failed'
    return { state, at, nextAttemptAt: null, codes }
  }
  const waitMs = isOfMail ? exponentialBackOffMs(attempts, RETRY) : 0
  return { state: 'pending', at, nextAttemptAt: new Date(at.getTime() + waitMs), codes }
}
