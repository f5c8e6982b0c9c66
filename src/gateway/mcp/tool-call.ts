import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { nameTool } from '../../core/operation-names.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { bodyText } from '../../platform/request/reply-body.js'
import { innerExchange } from '../http/inner-exchange.js'
import type { Handle } from '../http/node.js'
import type { RouteTool } from './tools.js'

/** Agents cannot use larger results. They can request fewer rows or another page. */
const MAX_RESULT_BYTES = 1024 * 1024

/** Headers of the agent's request that the REST request repeats. */
const FORWARDED = ['x-api-key', 'authorization', 'traceparent', 'user-agent'] as const

/**
 * Calls the REST route of a tool. Authentication, limits, charge and cache are those of a REST request. An error of the
 * route becomes an error of the tool with the same message.
 */
export async function callTool(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  exchange: Exchange,
  handle: Handle,
): Promise<CallToolResult> {
  const missing = tool.route.inPath.filter((name) => !isGiven(given[name]))
  if (missing.length > 0) return errorResult(`${missing.join(', ')}: is required`)
  const reply = await handle(createRestExchange(tool, given, exchange), null)
  // The routes of tools respond with text or bytes, never with streams.
  const text = bodyText(reply) ?? 'null'
  if (reply.status >= 400) return errorResult(text)
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES)
    return errorResult('The result exceeds 1 MiB. Set a smaller limit or a shorter range.')
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Creates the REST request of a tool call. */
function createRestExchange(
  { route }: RouteTool,
  given: Readonly<Record<string, unknown>>,
  exchange: Exchange,
): Exchange {
  const isBody = route.method === 'POST'
  const headers = new Map([['accept', 'application/json']])
  for (const name of FORWARDED) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  if (isBody) headers.set('content-type', 'application/json')
  return innerExchange(exchange, {
    method: route.method,
    path: route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(textOf(given[name]))),
    search: isBody ? '' : searchOf(route.inPath, given),
    headers,
    nameOperation: nameTool,
    body: isBody ? Buffer.from(JSON.stringify(given)) : null,
  })
}

function searchOf(inPath: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (inPath.includes(name) || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, textOf(one))
  }
  return search.size === 0 ? '' : `?${search}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
