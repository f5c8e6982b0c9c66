import type { Logger } from '../logger.js'
import type { Tracing } from './tracing.js'

const METHODS = ['debug', 'info', 'warn', 'error', 'fatal'] as const

/** Adds the trace id to each line that is written during a trace. */
export function tracedLogger(log: Logger, tracing: Tracing): Logger {
  const current = () => {
    const traceId = tracing.traceId()
    return traceId === null ? log : log.child({ trace_id: traceId })
  }
  const methods = METHODS.map((name) => [
    name,
    (...line: Parameters<Logger['info']>) => current()[name](...line),
  ])
  return {
    ...(Object.fromEntries(methods) as Pick<Logger, (typeof METHODS)[number]>), // one for each name
    child: (bindings) => tracedLogger(log.child(bindings), tracing),
    writeLine: (members) => {
      const traceId = tracing.traceId()
      log.writeLine(traceId === null ? members : `"trace_id":"${traceId}",${members}`)
    },
  }
}
