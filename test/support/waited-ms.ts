import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

/** Time of one piece of work, in which nothing takes time but its timers. */
interface TimerTime {
  ms: number
}

const times = new AsyncLocalStorage<TimerTime>()

/**
 * What the timers let pass that the work waits for, ms: what it would take on a machine that computes and answers in no
 * time. Unlike the time of a clock it does not grow with the load of the machine. A timer counts from the moment at which it
 * was set, so that two that run at once count once; intervals and timers of other processes and servers do not count.
 */
export async function waitedMs(work: () => Promise<unknown>): Promise<number> {
  const time = { ms: 0 }
  await times.run(time, work)
  return time.ms
}

export interface RequestTimes {
  /** What each request since the start has waited for so far, as `waitedMs` counts, in the order of their arrival. */
  waits(): readonly number[]
  stop(): void
}

/** Counts for requests that servers in this process take; what several wait for together counts for the first of them. */
export function watchRequests(): RequestTimes {
  const requests: TimerTime[] = []
  const onRequest = () => {
    const time = { ms: 0 }
    requests.push(time)
    times.enterWith(time)
  }
  const started = channel('http.server.request.start')
  started.subscribe(onRequest)
  return {
    waits: () => requests.map(({ ms }) => ms),
    stop: () => void started.unsubscribe(onRequest),
  }
}

/** The function, which first notes that the timer set now has gone off. */
function noting<Given extends unknown[]>(ms: number, callback: (...given: Given) => void) {
  const time = times.getStore()
  if (time === undefined) return callback
  const dueMs = time.ms + ms
  return (...given: Given) => {
    time.ms = Math.max(time.ms, dueMs)
    callback(...given)
  }
}

const { setTimeout: set } = globalThis
const setNoting = (callback: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
  set(noting(ms, callback), ms, ...given)
globalThis.setTimeout = Object.assign(setNoting, set)

const { setTimeout: sleep } = timers
timers.setTimeout = async <T>(ms = 0, value?: T, options?: Parameters<typeof sleep>[2]) => {
  const note = noting(ms, () => {})
  const slept = await sleep(ms, value as T, options)
  note()
  return slept
}
syncBuiltinESMExports()

const { timeout } = AbortSignal
AbortSignal.timeout = (ms) => {
  const signal = timeout.call(AbortSignal, ms)
  // Listeners are called in the order in which they were added: this one is the first.
  signal.addEventListener(
    'abort',
    noting(ms, () => {}),
    { once: true },
  )
  return signal
}
