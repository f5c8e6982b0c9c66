import { ApiError, type ApiErrorOptions } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import { InFlight } from '../../core/in-flight.js'
import { endOfDay, toIsoDate } from '../../core/time.js'
import type { Charge } from '../../platform/counters/counters.js'
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

/** What became of a question: a snapshot, or why there is none. */
export type LiveOutcome = { readonly snapshot: AddressSnapshot } | Missing

type Outcomes = ReadonlyMap<EvmAddress, LiveOutcome>

const ADDRESSES = { name: 'onchain asked', perHour: ADDRESSES_PER_HOUR }

/** A request that looked before the snapshot was stored, and asks after it is, still finds it here. */
const ENDED_KEPT_MS = 5_000

interface Question {
  readonly outcome: Promise<LiveOutcome>
  /** By the clock of the request that asked. */
  readonly begunMs: number
  hasEnded: boolean
}

/**
 * Asks the chains for this process: each address once at a time for all who want it, a bounded number of questions at
 * once and by account, and a bounded number of addresses per account and hour. What is read is kept for the day.
 */
class ChainQuestions {
  readonly #reader: ChainReader
  /** By day, chain and address; one that has ended stays for a moment. */
  readonly #inFlight = new Map<string, Question>()
  readonly #waiting = new InFlight()

  constructor(reader: ChainReader) {
    this.#reader = reader
  }

  /** An outcome for each of the addresses, which differ from each other; nothing is thrown for what the chain lacks. */
  async ask(chainId: number, addresses: readonly EvmAddress[], context: RequestContext): Promise<Outcomes> {
    const caller = requireCaller(context.principal)
    if (!this.#mayWait(caller)) return failing(addresses, busy(context))
    const end = this.#waiting.begin(caller.accountId)
    try {
      const charge = questionCharge(ADDRESSES, this.#notUnderWay(chainId, addresses, context).length, context)
      const isAllowed = await takeCharge(charge, context)
      // Others may have begun meanwhile: what they ask for is theirs to pay.
      const begun = isAllowed ? this.#notUnderWay(chainId, addresses, context) : []
      if (begun.length > 0) this.#begin(chainId, begun, { ...charge, units: begun.length }, context)
      // Looked up before anything is awaited: what has ended does not stay for long.
      const outcomes = addresses.map(
        async (address) =>
          [address, (await this.#find(chainId, address, context)?.outcome) ?? tooMany(charge)] as const,
      )
      const spare = charge.units - begun.length
      const settled = isAllowed ? giveBackCharge({ ...charge, units: spare }, context) : null
      const [found] = await Promise.all([Promise.all(outcomes), settled])
      return new Map(found)
    } finally {
      end()
    }
  }

  #notUnderWay(
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
      const outcome = read.then((outcomes) => outcomes.get(address) ?? down(context, true))
      const question: Question = { outcome, begunMs: context.now.getTime(), hasEnded: false }
      const forget = () => {
        if (this.#inFlight.get(key) === question) this.#inFlight.delete(key)
      }
      // Who waits for it hears of a mistake; the promise beside them must not end the process.
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
      await keep(snapshots, context)
      return new Map(snapshots.map((snapshot) => [snapshot.address, { snapshot }]))
    } catch (error) {
      if (!(error instanceof ChainDown)) throw error
      log.warn(
        { chainId, addresses: addresses.length, reason: error.message },
        'no node of the chain answered',
      )
      if (!error.wasAsked) await giveBackCharge(charge, context)
      return failing(addresses, down(context, error.wasAsked))
    }
  }

  #mayWait({ accountId }: Caller): boolean {
    return this.#waiting.total < MAX_WAITING && this.#waiting.of(accountId) < MAX_WAITING_PER_ACCOUNT
  }
}

const questionsByReader = new WeakMap<ChainReader, ChainQuestions>()

/** The questions of this process to its chains. */
export function chainQuestions({ ports }: RequestContext): ChainQuestions {
  const reader = ports.get(chainReaderPort)
  const known = questionsByReader.get(reader)
  if (known !== undefined) return known
  const questions = new ChainQuestions(reader)
  questionsByReader.set(reader, questions)
  return questions
}

/** Addresses without a label are kept up to a number a day, so that a caller that asks for ever new ones fills no disk. */
async function keep(snapshots: readonly AddressSnapshot[], context: RequestContext): Promise<void> {
  const { now, database } = context
  const unlabelled = snapshots.filter((snapshot) => addressLabel(snapshot) === null)
  const charge: Charge = {
    key: `onchain kept ${toIsoDate(now)}`,
    quota: KEPT_PER_DAY,
    units: unlabelled.length,
    windowEnd: endOfDay(now),
  }
  const mayKeepAll = await takeCharge(charge, context)
  const kept = mayKeepAll ? snapshots : snapshots.filter((snapshot) => addressLabel(snapshot) !== null)
  await writeSnapshots(database, kept, CHAIN_SOURCE)
}

function failing(addresses: readonly EvmAddress[], missing: Missing): Outcomes {
  return new Map(addresses.map((address) => [address, missing]))
}

function down(context: RequestContext, isCharged: boolean): Missing {
  const message = 'No node of the chain answers now; try again later.'
  return outOfReach({ message, isCharged }, RETRY_AFTER_DOWN_S, context)
}

function busy(context: RequestContext): Missing {
  const message = 'Too much is asked of the chains at once; try again shortly.'
  return outOfReach({ message }, RETRY_AFTER_BUSY_S, context)
}

function outOfReach(options: ApiErrorOptions, afterS: number, { now }: RequestContext): Missing {
  const retryAfter = Math.ceil(now.getTime() / 1000) + afterS
  return { error: new ApiError('service_unavailable', { ...options, retryAfter }) }
}

function tooMany(charge: Charge): Missing {
  const message = `An account may ask the chains for ${ADDRESSES_PER_HOUR} new addresses per clock hour; those that were read today are not counted.`
  return { error: questionsSpent(message, charge) }
}

function keyOf(chainId: number, address: EvmAddress, { now }: RequestContext): string {
  return `${toIsoDate(now)} ${chainId} ${address}`
}
