import { ApiError } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import { endOfDay, endOfHour, isoDateOf, startOfHour } from '../../core/time.js'
import type { Charge } from '../../platform/counters/counters.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Caller } from '../../policy/principal.js'
import { countersPort } from '../access/model.js'
import { addressLabel } from './labels-model.js'
import {
  type AddressSnapshot,
  ASKED_PER_HOUR,
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
  readonly #underWay = new Map<string, Question>()
  readonly #waitingByAccount = new Map<string, number>()
  #waiting = 0

  constructor(reader: ChainReader) {
    this.#reader = reader
  }

  /** An outcome for each of the addresses, which differ from each other; nothing is thrown for what the chain lacks. */
  async ask(chainId: number, addresses: readonly EvmAddress[], context: RequestContext): Promise<Outcomes> {
    const caller = callerOf(context)
    if (!this.#enter(caller)) return failing(addresses, busy(context))
    try {
      const charge = askCharge(caller, this.#notUnderWay(chainId, addresses, context).length, context)
      const isAllowed = charge.units === 0 || (await isTaken(charge, context))
      // Others may have begun meanwhile: what they ask for is theirs to pay.
      const begun = isAllowed ? this.#notUnderWay(chainId, addresses, context) : []
      if (begun.length > 0) this.#begin(chainId, begun, { ...charge, units: begun.length }, context)
      // Looked up before anything is awaited: what has ended does not stay for long.
      const outcomes = addresses.map(
        async (address) =>
          [address, (await this.#find(chainId, address, context)?.outcome) ?? tooMany(charge)] as const,
      )
      const spare = charge.units - begun.length
      const settled = isAllowed && spare > 0 ? giveBack({ ...charge, units: spare }, context) : null
      const [found] = await Promise.all([Promise.all(outcomes), settled])
      return new Map(found)
    } finally {
      this.#leave(caller)
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
    const question = this.#underWay.get(keyOf(chainId, address, context))
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
        if (this.#underWay.get(key) === question) this.#underWay.delete(key)
      }
      // Who waits for it hears of a mistake; the promise beside them must not end the process.
      outcome.then((ended) => {
        question.hasEnded = true
        if ('snapshot' in ended) setTimeout(forget, ENDED_KEPT_MS).unref()
        else forget()
      }, forget)
      this.#underWay.set(key, question)
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
      const facts = { snapshotDate: isoDateOf(now), fetchedAt: now, source: CHAIN_SOURCE }
      const snapshots = readings.map((reading): AddressSnapshot => ({ ...reading, ...facts }))
      await keep(snapshots, context)
      return new Map(snapshots.map((snapshot) => [snapshot.address, { snapshot }]))
    } catch (error) {
      if (!(error instanceof ChainDown)) throw error
      log.warn(
        { chainId, addresses: addresses.length, reason: error.message },
        'no node of the chain answered',
      )
      await giveBack(charge, context)
      return failing(addresses, down(context))
    }
  }

  #enter({ accountId }: Caller): boolean {
    const own = this.#waitingByAccount.get(accountId) ?? 0
    if (this.#waiting >= MAX_WAITING || own >= MAX_WAITING_PER_ACCOUNT) return false
    this.#waiting += 1
    this.#waitingByAccount.set(accountId, own + 1)
    return true
  }

  #leave({ accountId }: Caller): void {
    this.#waiting -= 1
    const left = (this.#waitingByAccount.get(accountId) ?? 1) - 1
    if (left > 0) this.#waitingByAccount.set(accountId, left)
    else this.#waitingByAccount.delete(accountId)
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
    key: `onchain kept ${isoDateOf(now)}`,
    quota: KEPT_PER_DAY,
    units: unlabelled.length,
    windowEnd: endOfDay(now),
  }
  const mayKeepAll = charge.units === 0 || (await isTaken(charge, context))
  const kept = mayKeepAll ? snapshots : snapshots.filter((snapshot) => addressLabel(snapshot) !== null)
  await writeSnapshots(database, kept, CHAIN_SOURCE)
}

async function isTaken(charge: Charge, { ports, now }: RequestContext): Promise<boolean> {
  return (await ports.get(countersPort).take([charge], now)).accepted
}

async function giveBack(charge: Charge, { ports, now }: RequestContext): Promise<void> {
  await ports.get(countersPort).refund([charge], now)
}

function askCharge({ meterId }: Caller, units: number, { now }: RequestContext): Charge {
  const hour = startOfHour(now).toISOString().slice(0, 13)
  return { key: `onchain asked ${hour} ${meterId}`, quota: ASKED_PER_HOUR, units, windowEnd: endOfHour(now) }
}

/** The endpoints need a scope, so that anonymous callers never come here. */
function callerOf({ principal }: RequestContext): Caller {
  if (principal.kind === 'anonymous') throw new ApiError('unauthorized')
  return principal
}

function failing(addresses: readonly EvmAddress[], missing: Missing): Outcomes {
  return new Map(addresses.map((address) => [address, missing]))
}

function down(context: RequestContext): Missing {
  return outOfReach('No node of the chain answers now; try again later.', RETRY_AFTER_DOWN_S, context)
}

function busy(context: RequestContext): Missing {
  return outOfReach(
    'Too much is asked of the chains at once; try again shortly.',
    RETRY_AFTER_BUSY_S,
    context,
  )
}

function outOfReach(message: string, afterS: number, { now }: RequestContext): Missing {
  const retryAfter = Math.ceil(now.getTime() / 1000) + afterS
  return { error: new ApiError('service_unavailable', { message, retryAfter }) }
}

function tooMany({ windowEnd }: Charge): Missing {
  const message = `An account may ask the chains for ${ASKED_PER_HOUR} new addresses per clock hour; those that were read today are not counted.`
  const retryAfter = Math.ceil(windowEnd.getTime() / 1000)
  return { error: new ApiError('rate_limit_exceeded', { message, retryAfter }) }
}

function keyOf(chainId: number, address: EvmAddress, { now }: RequestContext): string {
  return `${isoDateOf(now)} ${chainId} ${address}`
}
