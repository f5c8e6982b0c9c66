/** Memory of the gateway's process at an instant of the soak. */
export interface Sample {
  readonly seconds: number
  readonly rssBytes: number
  readonly heapUsedBytes: number
  /** Memory outside the heap, for example of buffers. */
  readonly externalBytes: number
}

const RSS = 'process_resident_memory_bytes'
const HEAP_USED = 'nodejs_heap_size_used_bytes'
const EXTERNAL = 'nodejs_external_memory_bytes'

/** Parses the figures from the metrics of the process in the format of Prometheus. */
export async function readSample(metricsUrl: string, startedAt: number): Promise<Sample> {
  const text = await (await fetch(metricsUrl)).text()
  const figure = (name: string) => {
    const value = Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1])
    if (!(value > 0)) throw new Error(`${metricsUrl} does not tell ${name}`)
    return value
  }
  const seconds = (performance.now() - startedAt) / 1000
  return {
    seconds,
    rssBytes: figure(RSS),
    heapUsedBytes: figure(HEAP_USED),
    externalBytes: figure(EXTERNAL),
  }
}

/** Means of the samples of a minute. */
export interface Minute extends Omit<Sample, 'seconds'> {
  /** Begins at 1. */
  readonly minute: number
}

/** The first two minutes fill caches and pools. From the third minute on, memory must stay constant. */
const SETTLED_MINUTE = 3

/** With fewer minutes, a minute would be compared with itself. */
export const MIN_MINUTES = SETTLED_MINUTE + 1

export function minutesOf(samples: readonly Sample[], minutes: number): readonly Minute[] {
  return Array.from({ length: minutes }, (_, index) => {
    const within = samples.filter(({ seconds }) => Math.floor(seconds / 60) === index)
    const mean = (figure: (sample: Sample) => number) =>
      within.reduce((sum, sample) => sum + figure(sample), 0) / within.length
    return {
      minute: index + 1,
      rssBytes: mean(({ rssBytes }) => rssBytes),
      heapUsedBytes: mean(({ heapUsedBytes }) => heapUsedBytes),
      externalBytes: mean(({ externalBytes }) => externalBytes),
    }
  })
}

/** Resident memory of the last minute divided by that of the third. */
export function growthOf(minutes: readonly Minute[]): number {
  const settled = minutes.find(({ minute }) => minute === SETTLED_MINUTE)
  const last = minutes.at(-1)
  if (settled === undefined || last === undefined || last === settled) {
    throw new Error(`a soak takes at least ${MIN_MINUTES} minutes`)
  }
  return last.rssBytes / settled.rssBytes
}
