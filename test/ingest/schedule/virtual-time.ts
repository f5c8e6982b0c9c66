import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../src/core/time.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import type { JobEvent } from '../../../src/ingest/schedule/options.js'
import type { MonotonicTimers, Timers } from '../../../src/platform/timers.js'

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** A clock that moves on when the scheduler sleeps, none of its jobs runs, and nothing of the lanes is in progress. */
export class VirtualTime implements Clock, Timers {
  #nowMs: number
  #hasScheduler = false
  #scheduler: Sleeper | null = null
  readonly #sleepers = new Set<Sleeper>()
  readonly #running = new Set<string>()
  #inProgress = 0
  readonly events: (JobEvent & { readonly at: Date })[] = []
  /** Called before sleepers wake at a new instant. */
  onAdvance: (now: Date) => Promise<unknown> = async () => {}
  /** A sleeper went to sleep, or work has ended. */
  #onChange = () => {}

  constructor(start: Date) {
    this.#nowMs = start.getTime()
  }

  now(): Date {
    return new Date(this.#nowMs)
  }

  /** The sleep of the scheduler, of which there is one. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.#hasScheduler = true
    const slept = this.#sleep(ms, signal, (sleeper) => {
      this.#scheduler = sleeper
    })
    return slept.finally(() => {
      this.#scheduler = null
    })
  }

  /** The timers of lanes, which sleep in several places at once. */
  readonly lanes: MonotonicTimers = {
    nowMs: () => this.#nowMs,
    sleep: (ms, signal) => this.#sleep(ms, signal, () => {}),
  }

  #sleep(ms: number, signal: AbortSignal, began: (sleeper: Sleeper) => void): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { atMs: this.#nowMs + ms, wake }
      if (signal.aborted) return wake()
      this.#sleepers.add(sleeper)
      began(sleeper)
      signal.addEventListener('abort', wake, { once: true })
      this.#onChange()
    })
  }

  /** Waits for work of lanes outside the process. The time stands still until it ends. */
  readonly during = <Result>(work: Promise<Result>): Promise<Result> => {
    this.#inProgress += 1
    return work.finally(() => {
      this.#inProgress -= 1
      this.#onChange()
    })
  }

  /** The jobs, with their runs known here. */
  watch(jobs: readonly Job[]): readonly Job[] {
    this.#hasScheduler = true
    return jobs.map((job) => ({
      ...job,
      run: (context) => {
        this.#running.add(job.name)
        return job.run(context)
      },
    }))
  }

  readonly onRun = (event: JobEvent): void => {
    this.#running.delete(event.job)
    this.events.push({ ...event, at: this.now() })
    this.#onChange()
  }

  /** Lets the time pass up to that instant. */
  async passUntil(end: Date): Promise<void> {
    for (;;) {
      const sleeper = await this.#idle()
      if (sleeper === null || sleeper.atMs > end.getTime()) break
      if (sleeper.atMs > this.#nowMs) {
        this.#nowMs = sleeper.atMs
        await this.onAdvance(this.now())
      }
      sleeper.wake()
    }
    this.#nowMs = end.getTime()
    await this.onAdvance(this.now())
  }

  /** The sleeper that wakes next; null if nothing sleeps, as on a frozen node. */
  async #idle(): Promise<Sleeper | null> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
      await setImmediate() // what was woken goes on first
      const mayPass = this.#running.size === 0 && this.#inProgress === 0
      const [first] = [...this.#sleepers].sort((a, b) => a.atMs - b.atMs)
      if (mayPass && (!this.#hasScheduler || this.#scheduler !== null)) return first ?? null
      await changed
    }
  }
}
