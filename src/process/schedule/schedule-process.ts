import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JobEvent } from '../../ingest/schedule/options.js'
import type { Scheduler } from '../../ingest/schedule/scheduler.js'
import type { Logger } from '../../platform/logger.js'
import { DRAIN_MS } from '../listen.js'
import { restartAfter } from '../restart.js'
import type { FromSchedule } from './messages.js'

/** In the folder of this file, in the sources and in the compiled files. */
const FILE = fileURLToPath(new URL(`schedule-child${extname(import.meta.url)}`, import.meta.url))

export interface ScheduleProcessOptions {
  readonly log: Logger
  readonly onRun: (event: JobEvent) => void
}

/** Forks the process that runs the schedule and replaces it when it ends; `stop` ends it. */
export function startScheduleProcess({ log, onRun }: ScheduleProcessOptions): Scheduler {
  let child: ChildProcess | null = null
  let wait: NodeJS.Timeout | undefined
  let quickEnds = 0
  let isStopping = false
  const start = () => {
    const started = fork(FILE, process.argv.slice(2))
    let runningSinceMs: number | null = null
    child = started
    started.on('message', (message: FromSchedule) => {
      if (message.kind === 'here') runningSinceMs = performance.now()
      else onRun(message.event)
    })
    started.on('error', (error) => log.error({ err: error }, 'the process of the schedule cannot be reached'))
    started.once('exit', (code, signal) => {
      child = null
      if (isStopping) return
      const livedMs = runningSinceMs === null ? null : performance.now() - runningSinceMs
      const restart = restartAfter(quickEnds, livedMs)
      quickEnds = restart.quickEnds
      const facts = { pid: started.pid, code, signal, restart_in_ms: restart.waitMs }
      log.error(facts, 'the process of the schedule ended unexpectedly')
      wait = setTimeout(start, restart.waitMs)
    })
    log.info({ pid: started.pid }, 'the schedule has its own process')
  }
  start()
  return {
    stop: async () => {
      isStopping = true
      clearTimeout(wait)
      const running = child
      if (running === null) return
      const ended = once(running, 'exit')
      running.kill('SIGTERM')
      const kill = setTimeout(() => running.kill('SIGKILL'), DRAIN_MS)
      await ended
      clearTimeout(kill)
    },
  }
}
