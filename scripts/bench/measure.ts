import { loadavg } from 'node:os'
import { askFor } from './request.js'
import { findRefusal, type Load, type LoadOptions, runWrk } from './wrk.js'

/** Who is visited in a case. */
export interface Entrant {
  readonly name: string
  readonly status: number
  /** What it is sent from now on. */
  load(): Promise<Load>
}

export interface Visit {
  readonly round: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Mean size of an answer with its headers. */
  readonly answerBytes: number
  /** Load average of the machine over a minute, when the visit began. */
  readonly loadAverage: number
}

export interface Measured {
  readonly name: string
  /** Size of the answer's body. */
  readonly bytes: number
  readonly visits: readonly Visit[]
}

export interface MeasureOptions extends LoadOptions {
  readonly rounds: number
  readonly onVisit: (name: string, visit: Visit) => void
}

/** Seconds of load before a visit is measured: longer the first time, while code is being compiled. */
const FIRST_WARM_UP_SECONDS = 3
const WARM_UP_SECONDS = 1

/** Errors of GraphQL come with status 200 but are short: what answers may be smaller by, as counters in them vary. */
const SAME_SIZE = 0.98

/**
 * Visits every entrant in every round, each round beginning with another one, so that a noisy machine hits all alike.
 * Throws when any answer is not as it must be.
 */
export async function measure(
  entrants: readonly Entrant[],
  options: MeasureOptions,
): Promise<readonly Measured[]> {
  const visits = new Map<Entrant, Visit[]>(entrants.map((entrant) => [entrant, []]))
  const bytes = new Map<Entrant, number>()
  for (let round = 0; round < options.rounds; round++) {
    const turn = round % entrants.length
    for (const entrant of [...entrants.slice(turn), ...entrants.slice(0, turn)]) {
      const load = await entrant.load()
      bytes.set(entrant, (await askFor(entrant.status, load)).body.length)
      const visit = await visitOnce(entrant, load, round, options)
      visits.get(entrant)?.push(visit)
      options.onVisit(entrant.name, visit)
    }
  }
  return entrants.map((entrant) => ({
    name: entrant.name,
    bytes: bytes.get(entrant) ?? 0,
    visits: visits.get(entrant) ?? [],
  }))
}

async function visitOnce(
  entrant: Entrant,
  load: Load,
  round: number,
  options: MeasureOptions,
): Promise<Visit> {
  const loadAverage = loadavg()[0] ?? 0
  await runWrk(load, { ...options, seconds: round === 0 ? FIRST_WARM_UP_SECONDS : WARM_UP_SECONDS })
  const { failure, ...figures } = await runWrk(load, options)
  const { body } = await askFor(entrant.status, load)
  if (failure !== null) {
    const refusal = await findRefusal(load, options)
    throw new Error(`${entrant.name} under load: ${failure}; ${refusal ?? 'none when tried again'}`)
  }
  if (figures.answerBytes < body.length * SAME_SIZE) {
    const mean = `${figures.answerBytes.toFixed(0)} bytes instead of ${body.length}`
    throw new Error(`${entrant.name} under load gives other answers: a mean of ${mean}`)
  }
  return { round, ...figures, loadAverage }
}
