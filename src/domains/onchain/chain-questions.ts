import { ApiError, type ApiErrorOptions } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import { InFlight } from '../../core/in-flight.js'
import { endOfDay, toIsoDate } from '../../core/time.js'
import type { Charge } from '../../platform/quota/counters.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import type { Caller } from '../../policy/principal.js'
import {
  giveBackCharge,
  questionCharge,
  questionsSpent,
  takeCharge,
} from '../access/question-quota-service.js'
import { addressLabel } from './labels-model.js'
import {
  ADDRESSES_PER_HOUR,
  type AddressSnapshot,
  CHAIN_SOURCE,
  ChainDown,
  type ChainReader,
  chainReaderPort,
  KEPT_PER_DAY,
  MAX_WAITING,
  MAX_WAITING_PER_ACCOUNT,
  type Missing,
  RETRY_AFTER_BUSY_S,
  RETRY_AFTER_DOWN_S,
} from './model.js'
import { writeSnapshots } from './store.js'

/** The result of a chain read: a snapshot, or the reason why it is missing. */
export type LiveOutcome = { readonly snapshot: AddressSnapshot } | Missing

type Outcomes = ReadonlyMap<EvmAddress, LiveOutcome>

const ADDRESSES = { name: 'onchain asked', perHour: ADDRESSES_PER_HOUR } // the name is a key of stored counters

/** A finished read stays this long, for requests that searched the stored snapshots just before it was stored. */
const ENDED_KEPT_MS = 5_000

interface Question {
  readonly outcome: Promise<LiveOutcome>
  /** By the clock of the request that began it. */
  readonly begunMs: number
  hasEnded: boolean
}

/**
 * Reads addresses from the chains for this process. Concurrent requests for an address share one read. The number of
 * simultaneous requests is bounded in total and per account, and the number of addresses per account and hour. Results are
 * stored for the day.
 */
class ChainQuestions {
  readonly #reader: ChainReader
  /** By day, chain and address. A finished read stays for `ENDED_KEPT_MS`. */
  readonly #inFlight = new Map<string, Question>()
  readonly #waiting = new InFlight()

  constructor(reader: ChainReader) {
    this.#reader = reader
  }

  /** An outcome for each of the distinct addresses. A failed read is an outcome, not an exception. */
  async ask(chainId: number, addresses: readonly EvmAddress[], context: RequestContext): Promise<Outcomes> {
    const caller = requireCaller(context.principal)
    if (!this.#mayWait(caller)) return allMissing(addresses, busy(context))
    const end = this.#waiting.begin(caller.accountId)
    try {
      const charge = questionCharge(ADDRESSES, this.#notInFlight(chainId, addresses, context).length, context)
      const isAllowed = await takeCharge(charge, context)
      // Other requests may have begun some of the reads in the meantime. Those are charged to them.
      const begun = isAllowed ? this.#notInFlight(chainId, addresses, context) : []
      if (begun.length > 0) this.#begin(chainId, begun, { ...charge, units: begun.length }, context)
      // Finds the reads before the next await, because finished ones are soon removed.
      const outcomes = addresses.map(
        async (address) =>
          [address, (await this.#find(chainId, address, context)?.outcome) ?? limitExceeded(charge)] as const,
      )
      const spare = charge.units - begun.length
      const settled = isAllowed ? giveBackCharge({ ...charge, units: spare }, context) : null
      const [found] = await Promise.all([Promise.all(outcomes), settled])
      return new Map(found)
    } finally {
      end()
    }
  }

  #notInFlight(
    chainId: number,
    addresses: readonly EvmAddress[],
    context: RequestContext,
  ): readonly EvmAddress[] {
    return addresses.filter((address) => this.#find(chainId, address, context) === undefined)
  }

  #find(chainId: number, address: EvmAddress, context: RequestContext): Question | undefined {
    const question = this.#inFlight.get(keyOf(chainId, address, context))
    const isOver = question?.hasEnded && context.now.getTime() - question.begunMs > ENDED_KEPT_MS
    return isOver ? undefined : question
  }

  #begin(chainId: number, addresses: readonly EvmAddress[], charge: Charge, context: RequestContext): void {
    const read = this.#read(chainId, addresses, charge, context)
    for (const address of addresses) {
      const key = keyOf(chainId, address, context)
      const outcome = read.then((outcomes) => outcomes.get(address) ?? down(context))
      const question: Question = { outcome, begunMs: context.now.getTime(), hasEnded: false }
      const forget = () => {
        if (this.#inFlight.get(key) === question) this.#inFlight.delete(key)
      }
      // A rejection reaches the requests that await it. This second branch handles it too, so that it does not end the process.
      outcome.then((ended) => {
        question.hasEnded = true
        if ('snapshot' in ended) setTimeout(forget, ENDED_KEPT_MS).unref()
        else forget()
      }, forget)
      this.#inFlight.set(key, question)
    }
  }

  async #read(
    chainId: number,
    addresses: readonly EvmAddress[],
    charge: Charge,
    context: RequestContext,
  ): Promise<Outcomes> {
    const { now, log } = context
    try {
      const readings = await this.#reader.read(chainId, addresses, now)
      const facts = { snapshotDate: toIsoDate(now), fetchedAt: now, source: CHAIN_SOURCE }
      const snapshots = readings.map((reading): AddressSnapshot => ({ ...reading, ...facts }))
      await storeSnapshots(snapshots, context)
      return new Map(snapshots.map((snapshot) => [snapshot.address, { snapshot }]))
    } catch (error) {
      if (!(error instanceof ChainDown)) throw error
      log.warn(
        { chainId, addresses: addresses.length, reason: error.message },
        'no node of the chain answered',
      )
      if (!error.wasAsked) await giveBackCharge(charge, context)
      return allMissing(addresses, down(context))
    }
  }

  #mayWait({ accountId }: Caller): boolean {
    return this.#waiting.total < MAX_WAITING && this.#waiting.of(accountId) < MAX_WAITING_PER_ACCOUNT
  }
}

const questionsByReader = new WeakMap<ChainReader, ChainQuestions>()

/** The chain reads of this process. */
export function chainQuestions({ ports }: RequestContext): ChainQuestions {
  const reader = ports.get(chainReaderPort)
  const known = questionsByReader.get(reader)
  if (known !== undefined) return known
  const questions = new ChainQuestions(reader)
  questionsByReader.set(reader, questions)
  return questions
}

/** Stores snapshots. Addresses without a label have a daily limit, so that no caller can fill the disk with new addresses. */
async function storeSnapshots(snapshots: readonly AddressSnapshot[], context: RequestContext): Promise<void> {
  const { now, database } = context
  const unlabelled = snapshots.filter((snapshot) => addressLabel(snapshot) === null)
  const charge: Charge = {
    key: `onchain kept ${toIsoDate(now)}`,
    owner: 'onchain kept',
    quota: KEPT_PER_DAY,
    units: unlabelled.length,
    windowEnd: endOfDay(now),
  }
  const mayKeepAll = await takeCharge(charge, context)
  const kept = mayKeepAll ? snapshots : snapshots.filter((snapshot) => addressLabel(snapshot) !== null)
  await writeSnapshots(database, kept, CHAIN_SOURCE)
}

function allMissing(addresses: readonly EvmAddress[], missing: Missing): Outcomes {
  return new Map(addresses.map((address) => [address, missing]))
}

function down(context: RequestContext): Missing {
  const message = 'No node of the chain is answering. Try again later.'
  return unavailable({ message }, RETRY_AFTER_DOWN_S, context)
}

function busy(context: RequestContext): Missing {
  const message = 'Too many addresses are being read at once. Try again in a few seconds.'
  return unavailable({ message }, RETRY_AFTER_BUSY_S, context)
}

function unavailable(options: ApiErrorOptions, afterS: number, { now }: RequestContext): Missing {
  const retryAfter = Math.ceil(now.getTime() / 1000) + afterS
  return { error: new ApiError('service_unavailable', { ...options, retryAfter }) }
}

function limitExceeded(charge: Charge): Missing {
  const message = `An account can read ${ADDRESSES_PER_HOUR} new addresses per clock hour. Addresses that were already read today do not count.`
  return { error: questionsSpent(message, charge) }
}

function keyOf(chainId: number, address: EvmAddress, { now }: RequestContext): string {
  return `${toIsoDate(now)} ${chainId} ${address}`
}
