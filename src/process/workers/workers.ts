import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from '../../platform/logger.js'
import { DRAIN_MS } from '../listen.js'
import { MAX_FAILED_STARTS, restartAfter } from '../restart.js'
import type { Assignment, FromWorker } from './messages.js'

/** Time after the drain in which a worker may write pending figures; then it is killed. */
const STOP_MARGIN_MS = 5_000

export interface WorkersOptions {
  readonly count: number
  /** The file that each worker runs. */
  readonly file: string
  /** Their port; 0 lets the system choose one port for all. */
  readonly port: number
  /** The key that the pages use. */
  readonly pageKey: string | null
  readonly log: Logger
  /** Called once if all workers keep ending before any has listened, so the start has failed. */
  readonly onFailedStart: (message: string) => void
}

/** The slot of one worker, which its replacements take over. */
interface Place {
  readonly number: number
  worker: Worker | null
  /** `performance.now()` when its worker started to listen; null before that. */
  listeningSince: number | null
  quickEnds: number
  wait?: NodeJS.Timeout
}

/** Forks the worker processes, replaces those that end, and stops them together. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #places: readonly Place[]
  /** The port for a new worker. If the others listen on 0, listening on 0 again shares their port. */
  #askFor: number
  #port: number
  #isStopping = false
  /** Whether any worker ever listened. */
  #hasListened = false
  #onListening: (port: number) => void = () => {}

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#askFor = options.port
    this.#port = options.port
    this.#places = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      worker: null,
      listeningSince: null,
      quickEnds: 0,
    }))
  }

  /** Forks the workers; resolves with their port when all listen. */
  async start(): Promise<number> {
    // A kept connection stays with its worker: of 8, the kernel (SCHED_NONE) gave all to one worker in one run of
    // three, of 32 it gave 31; round-robin at most 5 and 19. The price is handing each connection over, which
    // halves requests per second where every request opens one; clients and proxies of an API keep theirs.
    cluster.schedulingPolicy = cluster.SCHED_RR
    cluster.setupPrimary({ exec: this.#options.file, args: process.argv.slice(2) })
    const isUp = new Promise<number>((resolve) => {
      this.#onListening = (port) => {
        if (this.listening().length === this.#places.length) resolve(port)
      }
    })
    for (const place of this.#places) this.#fork(place)
    return isUp
  }

  /** The workers that listen now. */
  listening(): readonly Worker[] {
    return this.#places.flatMap(({ worker, listeningSince }) =>
      worker === null || listeningSince === null ? [] : [worker],
    )
  }

  /** Drains all workers and waits for their end; kills those that take longer. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const ends = this.#places.map(async ({ number, worker, wait }) => {
      clearTimeout(wait)
      if (worker === null) return
      const ended = once(worker, 'exit')
      worker.process.kill('SIGTERM')
      const kill = setTimeout(() => {
        this.#options.log.warn({ worker: number }, 'worker did not stop in time and is killed')
        worker.process.kill('SIGKILL')
      }, DRAIN_MS + STOP_MARGIN_MS)
      await ended
      clearTimeout(kill)
    })
    await Promise.all(ends)
  }

  #fork(place: Place): void {
    const { log, pageKey } = this.#options
    const worker = cluster.fork()
    place.worker = worker
    place.listeningSince = null
    const assignment: Assignment = {
      kind: 'assignment',
      number: place.number,
      port: this.#askFor,
      pageKey,
    }
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'here') worker.send(assignment)
    })
    worker.once('listening', ({ port }: { readonly port: number }) => {
      place.listeningSince = performance.now()
      this.#hasListened = true
      this.#port = port
      this.#onListening(port)
    })
    worker.once('exit', (code: number | null, signal: string | null) => this.#ended(place, { code, signal }))
    worker.on('error', (error) =>
      log.error({ err: error, worker: place.number }, 'a worker cannot be reached'),
    )
    log.info({ worker: place.number, pid: worker.process.pid }, 'worker started')
  }

  #ended(place: Place, how: { readonly code: number | null; readonly signal: string | null }): void {
    const { log, onFailedStart } = this.#options
    const { number, worker, listeningSince, quickEnds } = place
    place.worker = null
    if (this.#isStopping) return
    // The end of the last worker closes the port; listening on 0 again would choose another one.
    if (this.listening().length === 0) this.#askFor = this.#port
    const pid = worker?.process.pid
    const livedMs = listeningSince === null ? null : performance.now() - listeningSince
    const restart = restartAfter(quickEnds, livedMs)
    place.quickEnds = restart.quickEnds
    log.error({ worker: number, pid, ...how, restart_in_ms: restart.waitMs }, 'worker ended unexpectedly')
    if (this.#isFailedStart()) {
      this.#isStopping = true
      onFailedStart(`No worker could start: each ended ${MAX_FAILED_STARTS} times before it listened.`)
      return
    }
    place.wait = setTimeout(() => this.#fork(place), restart.waitMs)
  }

  #isFailedStart(): boolean {
    return !this.#hasListened && this.#places.every(({ quickEnds }) => quickEnds >= MAX_FAILED_STARTS)
  }
}
