import type { Server, Tool } from '@modelcontextprotocol/server'
import { shownText } from '../../core/argument-parsers.js'
import type { CorsOrigins } from '../../core/cors-origins.js'
import { ApiError, invalid } from '../../core/errors.js'
import { nameInRun, nameTool } from '../../core/operation-names.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { assertOwnPage } from '../http/identity/demo-callers.js'
import { isForeignFetch } from '../http/identity/is-foreign-fetch.js'
import type { Release } from '../http/limits/admission.js'
import type { Handle } from '../http/node.js'
import type { OpenSite } from '../http/pipeline.js'
import { isAllowedOrigin, originNotAllowed } from '../http/response/cors.js'
import { type AgentTool, createAgentTools } from './agent-tools.js'
import { createOperationIndex } from './operation-index.js'
import { callRoute } from './tool-call.js'
import { errorResult, jsonResult, MAX_RESULT_BYTES } from './tool-result.js'
import { createTools, type OpenApiRoutes, type RouteTool } from './tools.js'

/** Where agents connect. */
export const MCP_PATH = '/mcp'

const MCP_ADDRESS = `http://gateway${MCP_PATH}`

export interface McpOptions {
  /** The OpenAPI document as JSON text. Called once, by the first agent. */
  readonly openApi: () => Promise<string>
  /** Handles the REST requests of tool calls. */
  readonly handle: Handle
  readonly corsOrigins: () => CorsOrigins
  readonly version: string
}

const INSTRUCTIONS =
  'Market data: prices, exchange rates, macro series, analyses, on-chain figures, sanctions screening. Begin with search. Each result contains _meta with its freshness and sources; is_dev_dataset marks synthetic data. Send an API key in the header X-API-Key.'

/**
 * Serves the Model Context Protocol over streamable HTTP, in version 2026-07-28 and in earlier ones: six tools for agents, or with `?toolset=full` one for each REST
 * route. Requests are stateless (no sessions, no streams), so that any node can answer them.
 */
export function mcpSite(options: McpOptions): OpenSite {
  let tools: Promise<Tools> | undefined
  return (exchange, caller, release) => {
    if (exchange.path !== MCP_PATH) return null
    assertAllowedOrigin(exchange, options.corsOrigins())
    if (exchange.method !== 'POST')
      throw new ApiError('method_not_allowed', {
        message: `${exchange.method} is not allowed on ${MCP_PATH}; allowed: POST.`,
        allow: ['POST'],
      })
    if (isBatch(exchange)) return BATCH_ERROR
    const toolset = toolsetOf(exchange)
    tools ??= options.openApi().then(readTools)
    const found = tools
    // Only browsers send requests of foreign pages; other agents are identified once, by the call of a route.
    const admitted = isForeignFetch(exchange)
      ? caller().then((principal) => assertOwnPage(principal, exchange))
      : Promise.resolve()
    return admitted.then(() => found).then((known) => answer({ exchange, release, toolset }, known, options))
  }
}

interface Tools {
  readonly byName: ReadonlyMap<string, RouteTool>
  readonly agentTools: ReadonlyMap<string, AgentTool>
  /** Every caller sees the same tools; a call without the required scope fails. */
  readonly lists: Readonly<Record<Toolset, Tool[]>>
}

/** Six tools for agents by default, or a tool for each route. */
type Toolset = 'default' | 'full'

function readTools(openApi: string): Tools {
  const tools = createTools(JSON.parse(openApi) as OpenApiRoutes) // our own document
  const byName = new Map(tools.map((tool) => [tool.tool.name, tool]))
  const agentTools = createAgentTools({ byName, index: createOperationIndex(tools) })
  return {
    byName,
    agentTools: new Map(agentTools.map((tool) => [tool.tool.name, tool])),
    lists: { default: agentTools.map(({ tool }) => tool), full: tools.map(({ tool }) => tool) },
  }
}

/** The tools that the address of a request selects: `?toolset=full`. Throws 422 for another value. */
function toolsetOf({ search }: Exchange): Toolset {
  const toolset = new URLSearchParams(search).get('toolset') ?? 'default'
  if (toolset === 'default' || toolset === 'full') return toolset
  throw invalid({ field: 'toolset', message: `must be default or full; got ${shownText(toolset)}` })
}

/** How long clients may keep the list of tools, which changes only with the version of the gateway. */
const LIST_LIFE = { ttlMs: 3_600_000, cacheScope: 'public' } as const

const REPLY_HEADERS = ['content-type', 'application/json', 'cache-control', 'no-store'] as const

/** Version 2025-06-18 of the protocol removed batches. One would do the work of many requests. */
const BATCH_ERROR: Reply = {
  status: 400,
  headers: REPLY_HEADERS,
  body: JSON.stringify({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'Batches are not supported: send one message per request.' },
    id: null,
  }),
}

/** Whether the body is a JSON list, possibly after whitespace. */
function isBatch({ body }: Exchange): boolean {
  const first = body?.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
  return first === 0x5b
}

interface AcquiredRequest {
  readonly exchange: Exchange
  /** Releases the permit of this request, because a tool call acquires its own. */
  readonly release: Release
  readonly toolset: Toolset
}

/**
 * Only pages of allowed origins may send requests, as the protocol requires of servers. A matching Host header does not
 * prove that a page belongs to the gateway, because a foreign name may resolve to it (DNS rebinding).
 */
function assertAllowedOrigin(exchange: Exchange, origins: CorsOrigins): void {
  const origin = exchange.header('origin')
  if (origin === null || isAllowedOrigin(origin, origins)) return
  throw originNotAllowed()
}

async function answer(acquired: AcquiredRequest, tools: Tools, options: McpOptions): Promise<Reply> {
  const sdk = await import('@modelcontextprotocol/server') // at the first request instead of at the start of the process
  const createServer = () => createToolServer(sdk, acquired, tools, options)
  const request = toRequest(acquired.exchange)
  return (await sdk.isLegacyRequest(request))
    ? answerLegacy(sdk, createServer(), request)
    : answerModern(sdk, createServer, request)
}

type McpSdk = typeof import('@modelcontextprotocol/server')

/** Version 2026-07-28 of the protocol: each request names its version and the client, and there is no handshake. */
async function answerModern(sdk: McpSdk, createServer: () => Server, request: Request): Promise<Reply> {
  // The tools never change while the gateway runs, so there is nothing to subscribe to.
  const handler = sdk.createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 })
  try {
    return await toReply(await handler.fetch(request))
  } finally {
    await handler.close()
  }
}

/** Versions up to 2025-11-25, which begin with a handshake. */
async function answerLegacy(sdk: McpSdk, server: Server, request: Request): Promise<Reply> {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await toReply(await transport.handleRequest(request))
  } finally {
    await server.close()
  }
}

function createToolServer(
  { Server }: McpSdk,
  { exchange, release, toolset }: AcquiredRequest,
  tools: Tools,
  { handle, version }: McpOptions,
) {
  const server = new Server(
    { name: 'market-data-gateway', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, cacheHints: { 'tools/list': LIST_LIFE } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: tools.lists[toolset] }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { name, arguments: given = {} } = params
    const agentTool = toolset === 'full' ? undefined : tools.agentTools.get(name)
    if (agentTool !== undefined) {
      release()
      return agentTool.run(given, (operation, args) =>
        callRoute(operation, args, { exchange, handle, nameOperation: nameInRun }),
      )
    }
    const tool = tools.byName.get(name)
    if (tool === undefined)
      return errorResult(`Unknown tool ${name.slice(0, 100)}. Call tools/list for the available tools.`)
    release()
    const answer = await callRoute(tool, given, { exchange, handle, nameOperation: nameTool })
    return answer.isError ? errorResult(answer.text) : jsonResult(answer.text, MAX_RESULT_BYTES)
  })
  return server
}

/** Headers that the protocol defines for requests. */
const READ = [
  'accept',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
] as const

function toRequest(exchange: Exchange): Request {
  const headers = new Headers()
  for (const name of READ) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  const body = exchange.body === null ? null : new Uint8Array(exchange.body)
  return new Request(MCP_ADDRESS, { method: 'POST', headers, body })
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text()
  return { status: response.status, headers: REPLY_HEADERS, body: text === '' ? null : text }
}
