import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { nameTool } from '../../core/operation-names.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { bodyText } from '../../platform/request/reply-body.js'
import { innerExchange } from '../http/inner-exchange.js'
import type { Handle } from '../http/node.js'
import type { RouteTool } from './tools.js'

/** More is of no use to an agent: it asks for less, or for another page. */
const MAX_RESULT_BYTES = 1024 * 1024

/** Headers that go on with the question. */
const FORWARDED = ['x-api-key', 'authorization', 'traceparent', 'user-agent'] as const

/**
 * Asks the route of a tool as any client does: who asks, the limits, the charge and the cache are those of the REST request.
 * What the route refuses is an error of the tool, in its words.
 */
export async function callTool(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  exchange: Exchange,
  handle: Handle,
): Promise<CallToolResult> {
  const missing = tool.route.inPath.filter((name) => !isGiven(given[name]))
  if (missing.length > 0) return refused(`${missing.join(', ')}: is required`)
  const reply = await handle(restExchange(tool, given, exchange), null)
  // The routes of tools answer with texts and bytes, never with streams.
  const text = bodyText(reply) ?? 'null'
  if (reply.status >= 400) return refused(text)
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES)
    return refused('The answer is larger than 1 MiB; ask for less by limit, or by a shorter range.')
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}

function refused(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** The call as the request that it would be. */
function restExchange(
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
