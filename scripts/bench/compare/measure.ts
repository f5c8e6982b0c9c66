import { loadavg } from 'node:os'
import { askAll } from './request.js'
import { findRefusal, type Load, type LoadOptions, runWrk } from './wrk.js'

/** What is measured in a case. */
export interface Subject {
  readonly name: string
  readonly status: number
  /** The requests that it gets from now on. */
  load(): Promise<Load>
  /** CPU time that its processes have used; null if unknown. */
  cpuMicroseconds(): number | null
}

/** One measurement of one subject under load. */
export interface Measurement {
  readonly round: number
  readonly requestsPerSecond: number
  /** CPU time of the server's processes, user and system, per request; null if unknown. */
  readonly cpuMicrosecondsPerRequest: number | null
  /** CPU time of the server's processes divided by elapsed time: 1 is one core; null if unknown. */
  readonly busyShare: number | null
  readonly p50Ms: number
  readonly p99Ms: number
  /** Mean size of a response with its headers. */
  readonly answerBytes: number
  /** Load average of the machine over the minute before. */
  readonly loadAverage: number
}

export interface MeasuredSubject {
  readonly name: string
  /** Mean size of a response body. */
  readonly bytes: number
  readonly measurements: readonly Measurement[]
}

export interface MeasureOptions extends LoadOptions {
  readonly rounds: number
  /** CPU time that a server uses before its first measurement. */
  readonly warmUpSeconds: number
  readonly onMeasurement: (name: string, measurement: Measurement) => void
}

/** Seconds of load before a measurement. */
const WARM_UP_SECONDS = 1

/**
 * The warm-up lasts until the server has used `warmUpSeconds` of CPU time, so that its code is compiled. This takes longer
 * on a busy machine. If CPU time is unknown, the warm-up has the fewest turns.
 */
const FEWEST_WARM_UPS = 3
const MOST_WARM_UPS = 20

/** Tolerated difference in body size, because counters in responses vary. A GraphQL error has status 200 but is much shorter. */
const SAME_SIZE = 0.98

/**
 * Measures every subject in every round. Each round begins with another subject, so that noise of the machine affects all
 * equally. Throws when a response is not the expected one.
 */
export async function measure(
  subjects: readonly Subject[],
  options: MeasureOptions,
): Promise<readonly MeasuredSubject[]> {
  const measurements = new Map<Subject, Measurement[]>(subjects.map((subject) => [subject, []]))
  const bytes = new Map<Subject, number>()
  for (let round = 0; round < options.rounds; round++) {
    const turn = round % subjects.length
    for (const subject of [...subjects.slice(turn), ...subjects.slice(0, turn)]) {
      const load = await subject.load()
      const size = await meanBodySize(subject, load)
      bytes.set(subject, size)
      const measurement = await measureOnce(subject, load, { ...options, round, size })
      measurements.get(subject)?.push(measurement)
      options.onMeasurement(subject.name, measurement)
    }
  }
  return subjects.map((subject) => ({
    name: subject.name,
    bytes: bytes.get(subject) ?? 0,
    measurements: measurements.get(subject) ?? [],
  }))
}

/** Sends every request once, which fills the caches. */
async function meanBodySize({ status }: Subject, load: Load): Promise<number> {
  const answers = await askAll(status, load)
  const total = answers.reduce((sum, { body }) => sum + body.length, 0)
  return Math.round(total / answers.length)
}

async function warmUp(
  { cpuMicroseconds }: Subject,
  load: Load,
  options: MeasureOptions & { readonly round: number },
): Promise<void> {
  const before = cpuMicroseconds()
  const isWarm = (turns: number) => {
    if (options.round > 0) return turns > 0
    const now = cpuMicroseconds()
    const used = before === null || now === null ? Number.POSITIVE_INFINITY : now - before
    return turns >= FEWEST_WARM_UPS && used >= options.warmUpSeconds * 1e6
  }
  for (let turns = 0; turns < MOST_WARM_UPS && !isWarm(turns); turns++) {
    await runWrk(load, { ...options, seconds: WARM_UP_SECONDS })
  }
}

async function measureOnce(
  subject: Subject,
  load: Load,
  options: MeasureOptions & { readonly round: number; readonly size: number },
): Promise<Measurement> {
  const { round, size } = options
  const loadAverage = loadavg()[0] ?? 0
  await warmUp(subject, load, options)
  const [cpuBefore, startedAt] = [subject.cpuMicroseconds(), performance.now()]
  const { failure, requests, ...figures } = await runWrk(load, options)
  const [cpuAfter, endedAt] = [subject.cpuMicroseconds(), performance.now()]
  if (failure !== null) {
    const refusal = await findRefusal(load, options)
    throw new Error(`${subject.name} under load: ${failure}; ${refusal ?? 'none when tried again'}`)
  }
  if (figures.answerBytes < size * SAME_SIZE) {
    const mean = `${figures.answerBytes.toFixed(0)} bytes instead of ${size}`
    throw new Error(`${subject.name} under load gives other answers: a mean of ${mean}`)
  }
  const used = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore
  return {
    round,
    ...figures,
    cpuMicrosecondsPerRequest: used === null ? null : used / requests,
    busyShare: used === null ? null : used / ((endedAt - startedAt) * 1000),
    loadAverage,
  }
}
