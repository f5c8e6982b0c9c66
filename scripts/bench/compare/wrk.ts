import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Requests that are sent repeatedly. They differ only in their paths. */
export interface Load {
  /** E.g. http://127.0.0.1:4000. */
  readonly origin: string
  /** Requested in turn, with their query strings. */
  readonly paths: readonly [string, ...string[]]
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface LoadResult {
  /** Number of requests with a response. */
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Mean size of a response with its headers. */
  readonly answerBytes: number
  /** Number of responses with a status above 399 and of requests without a response; null if all succeeded. */
  readonly failure: string | null
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
  /** Core to run on; null for any core. */
  readonly core: number | null
  /** Directory for the script. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** Figures as JSON, since wrk's own report is rounded; times in microseconds. */
const REPORT = `done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"requests":%d,"bytes":%d,"us":%d,"p50":%d,"p99":%d,', summary.requests,
    summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99)))
  io.write(string.format('"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\\n', e.connect,
    e.read, e.write, e.status, e.timeout))
end
`

interface Reported {
  readonly requests: number
  readonly bytes: number
  readonly us: number
  readonly p50: number
  readonly p99: number
  readonly errors: Readonly<Record<string, number>>
}

/** A response that takes longer counts as failed. */
const TIMEOUT_SECONDS = 30

/** Checks every response. This slows wrk down, so it is not used while figures are taken. */
const WATCH = `local thread
setup = function(one) thread = one end
refusal = ''
response = function(status, _, body)
  if status > 399 and refusal == '' then refusal = status .. ' ' .. body:sub(1, 300) end
end
done = function() if thread:get('refusal') ~= '' then io.write('REFUSAL ' .. thread:get('refusal') .. '\\n') end end
`

/** Loads a server with one thread of wrk. Throws when wrk fails or gets no response. */
export async function runWrk(load: Load, options: LoadOptions): Promise<LoadResult> {
  const output = await wrkOutput(`${scriptOf(load)}${REPORT}`, urlOf(load), options)
  const line = /^RESULT (.*)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`wrk gave no result:\n${output}`)
  // The script above writes these figures.
  const found = JSON.parse(line) as Reported
  return {
    requests: found.requests,
    requestsPerSecond: (found.requests * 1e6) / found.us,
    p50Ms: found.p50 / 1000,
    p99Ms: found.p99 / 1000,
    answerBytes: found.bytes / found.requests,
    failure: failureOf(found),
  }
}

function failureOf({ requests, errors }: Reported): string | null {
  if (requests === 0) return 'no answer came'
  const kinds = Object.entries(errors).filter(([, count]) => count > 0)
  return kinds.length === 0 ? null : kinds.map(([kind, count]) => `${count} ${kind} errors`).join(', ')
}

/** The first response under load with a status above 399; null if all succeed. */
export async function findRefusal(load: Load, options: LoadOptions): Promise<string | null> {
  const output = await wrkOutput(`${scriptOf(load)}${WATCH}`, urlOf(load), options)
  return /^REFUSAL (.*)$/m.exec(output)?.[1] ?? null
}

function urlOf({ origin, paths }: Load): string {
  return `${origin}${paths[0]}`
}

/** Builds every request before the load begins. A single path needs no function, which would slow wrk down. */
const IN_TURN = `local requests, turn = {}, 0
init = function()
  for place, path in ipairs(paths) do requests[place] = wrk.format(nil, path) end
end
request = function()
  turn = turn % #requests + 1
  return requests[turn]
end`

/** JSON text of ASCII is a Lua string literal. */
function scriptOf({ method, headers, body, paths }: Load): string {
  const lines = [
    `wrk.method = ${JSON.stringify(method)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    ),
    ...(body === null ? [] : [`wrk.body = ${JSON.stringify(body)}`]),
    ...(paths.length === 1
      ? []
      : [`local paths = {${paths.map((path) => JSON.stringify(path)).join(',')}}`, IN_TURN]),
  ]
  return `${lines.join('\n')}\n`
}

async function wrkOutput(script: string, url: string, options: LoadOptions): Promise<string> {
  const file = join(options.directory, 'load.lua')
  await writeFile(file, script)
  const pin = options.core === null ? [] : ['taskset', '-c', String(options.core)]
  const limits = [`-c${options.connections}`, `-d${options.seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`]
  const [command = 'wrk', ...args] = [...pin, 'wrk', '-t1', ...limits, '-s', file, url]
  return outputOf(command, args, options.signal)
}

function outputOf(command: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`wrk ended with ${code}:\n${output}`)),
    )
  })
}
