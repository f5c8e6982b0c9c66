import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { isMailAddress } from '../../platform/mail/mail-address.js'
import type { SendOutcome, SmtpSession } from '../../platform/mail/smtp-session.js'
import {
  commitMailDelivery,
  type MailDeliveryEnd,
  type OpenMailDelivery,
  openNext,
  settleMailDelivery,
} from './delivery-store.js'
import { findIssue, type IssueRow } from './issue-store.js'
import { issueMail } from './mails.js'
import type { MailRoute, Newsletter } from './model.js'
import type { Pace } from './pace.js'

export interface DeliveriesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly newsletter: Newsletter
  readonly route: MailRoute
}

/** What the connections of one round have in common. */
export interface Round {
  readonly term: number
  readonly pace: Pace
  /** Ends waits; mails under way go on. */
  readonly signal: AbortSignal
  /** Whether this process still has the lease. */
  isCurrent(): boolean
  /** Whether what it sent is still its own: also while the lease could not be renewed, and nobody else has it. */
  mayWrite(): boolean
}

/** The first pause after a failure of the mail server; each further one is twice as long. */
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 300_000

/** Refused addresses in a row: then it is rather the mail server that refuses this sender. */
const MAX_REFUSED_IN_A_ROW = 20

/** A mail that is refused for now is tried again after five minutes (greylisting), then after twice as long each time. */
const FIRST_RETRY_MS = 300_000
const MAX_RETRY_MS = 4 * 3_600_000

/** While the database is out of reach. */
const SETTLE_AGAIN_MS = 500

/**
 * Hands mails over one by one. A mail is `open` from before the mail server is asked, and `committed` from before the
 * end of the message is sent until the answer to it is stored. So one that a killed process left `open` is sent again,
 * since the server cannot have it; one left `committed` is not, since it may: see the guide of operations.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions
  #failuresInARow = 0
  #refusedInARow = 0
  #issue: IssueRow | null = null

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** How long the mail server is left alone; 0 when it took or refused the last mail in good order. */
  pauseMs(): number {
    if (this.#failuresInARow === 0) return 0
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failuresInARow - 1))
  }

  /** Sends over one connection until nothing is due, the server fails or the lease is gone. */
  async run(round: Round): Promise<void> {
    const session = this.#options.route.newSession()
    const failuresBefore = this.#failuresInARow
    try {
      while (round.isCurrent() && this.#failuresInARow <= failuresBefore) {
        await round.pace.turn(round.signal)
        const delivery = await openNext(this.#options.database, round.term, this.#options.clock.now())
        if (delivery === null) return
        await this.#deliver(session, delivery, round)
      }
    } catch (error) {
      if (!round.signal.aborted) throw error
    } finally {
      session.close()
    }
  }

  async #deliver(session: SmtpSession, delivery: OpenMailDelivery, round: Round): Promise<void> {
    const { database, clock, newsletter, route, log } = this.#options
    const { email, issueId, accountId } = delivery
    if (!isMailAddress(email)) return this.#settle(delivery, addressEnd('malformed', clock.now()), round)
    const issue = await this.#issueOf(issueId)
    const message = await issueMail(newsletter, route, issue, { accountId, email }, clock.now())
    const commit = async () => {
      if (!(await commitMailDelivery(database, delivery))) throw new Error('another process sends this mail')
    }
    const outcome = await session.send({ from: route.from.address, to: email, message }, commit)
    this.#judge(outcome)
    if (outcome.kind !== 'accepted') {
      log.warn({ issue: issueId, account_id: accountId, ...outcome }, 'a mail was not accepted')
    }
    await this.#settle(delivery, endOf(outcome, delivery, clock.now()), round)
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

  /** What the server said is known here alone, so it is written as soon as the database can be reached again. */
  async #settle(delivery: OpenMailDelivery, end: MailDeliveryEnd, { mayWrite }: Round): Promise<void> {
    const { database, log } = this.#options
    for (;;) {
      try {
        await settleMailDelivery(database, delivery, end)
        return
      } catch (error) {
        if (!mayWrite()) throw error
        log.warn({ err: error }, 'how a mail was answered could not be stored; it is tried again')
        await sleep(SETTLE_AGAIN_MS)
      }
    }
  }
}

/** A refusal for good that is about the address: not of a policy (5.7.x), which is about this sender or this mail. */
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
  const waitMs = isOfMail ? Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) : 0
  return { state: 'pending', at, nextAttemptAt: new Date(at.getTime() + waitMs), codes }
}
