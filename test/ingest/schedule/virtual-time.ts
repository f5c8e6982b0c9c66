import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../src/core/time.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import type { JobEvent, Timers } from '../../../src/ingest/schedule/options.js'

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** A clock that moves on when the scheduler sleeps and none of its jobs runs. */
export class VirtualTime implements Clock, Timers {
  #nowMs: number
  #sleeper: Sleeper | null = null
  readonly #running = new Set<string>()
  readonly events: (JobEvent & { readonly at: Date })[] = []
  /** The scheduler went to sleep, or a run has ended. */
  #onChange = () => {}

  constructor(start: Date) {
    this.#nowMs = start.getTime()
  }

  now(): Date {
    return new Date(this.#nowMs)
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleeper = null
        resolve()
      }
      if (signal.aborted) return wake()
      this.#sleeper = { atMs: this.#nowMs + ms, wake }
      this.#onChange()
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  /** The jobs, with their runs known here. */
  watch(jobs: readonly Job[]): readonly Job[] {
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
      if (sleeper.atMs > end.getTime()) break
      this.#nowMs = Math.max(this.#nowMs, sleeper.atMs)
      sleeper.wake()
    }
    this.#nowMs = end.getTime()
  }

  async #idle(): Promise<Sleeper> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
      await setImmediate() // what was woken goes on first
      if (this.#sleeper !== null && this.#running.size === 0) return this.#sleeper
      await changed
    }
  }
}
