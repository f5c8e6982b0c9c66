import type { CorsOrigins } from '../../core/cors-origins.js'
import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { Release } from '../http/limits/admission.js'
import type { Handle } from '../http/node.js'
import type { OpenSite } from '../http/pipeline.js'
import { isAllowedOrigin, originNotAllowed } from '../http/response/cors.js'
import { callTool } from './tool-call.js'
import { createTools, type OpenApiRoutes, type RouteTool } from './tools.js'

/** Where agents connect. */
export const MCP_PATH = '/mcp'

const MCP_ADDRESS = `http://gateway${MCP_PATH}`

export interface McpOptions {
  /** The OpenAPI document as JSON text. Called once, by the first agent. */
  readonly openApi: () => Promise<string>
  /** Handles the REST requests of tool calls. */
  readonly handle: Handle
  readonly corsOrigins: CorsOrigins
  readonly version: string
}

const INSTRUCTIONS =
  'Market data: prices, exchange rates, macro series, analyses, on-chain figures, sanctions screening. Each result contains _meta with its freshness and sources; is_dev_dataset marks synthetic data. Send an API key in the header X-API-Key.'

/**
 * Serves the Model Context Protocol over streamable HTTP, with tools that call the REST routes. Requests are stateless
 * (no sessions, no streams), so that any node can answer them.
 */
export function mcpSite(options: McpOptions): OpenSite {
  let tools: Promise<Tools> | undefined
  return (exchange, _caller, release) => {
    if (exchange.path !== MCP_PATH) return null
    assertAllowedOrigin(exchange, options.corsOrigins)
    if (exchange.method !== 'POST')
      throw new ApiError('method_not_allowed', {
        message: `${exchange.method} is not allowed on ${MCP_PATH}; allowed: POST.`,
        allow: ['POST'],
      })
    if (isBatch(exchange)) return BATCH_ERROR
    tools ??= options.openApi().then(readTools)
    return tools.then((known) => answer({ exchange, release }, known, options))
  }
}

interface Tools {
  readonly byName: ReadonlyMap<string, RouteTool>
  /** The result of tools/list as JSON. Every caller sees all tools; a call without the required scope fails. */
  readonly list: string
}

function readTools(openApi: string): Tools {
  const tools = createTools(JSON.parse(openApi) as OpenApiRoutes) // our own document
  return {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    list: JSON.stringify({ tools: tools.map(({ route: _route, ...tool }) => tool) }),
  }
}

/** The library writes this result of tools/list, which the prepared text replaces. */
const EMPTY_LIST = '{"tools":[]}'

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
  const mcp = await loadSdk()
  const server = createToolServer(mcp, acquired, tools, options)
  const transport = new mcp.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await toReply(await transport.handleRequest(toRequest(acquired.exchange)), tools)
  } finally {
    await server.close()
  }
}

function createToolServer(
  { Server, CallToolRequestSchema, ListToolsRequestSchema }: McpSdk,
  { exchange, release }: AcquiredRequest,
  tools: Tools,
  { handle, version }: McpOptions,
) {
  const server = new Server(
    { name: 'market-data-gateway', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.byName.get(params.name)
    if (tool === undefined)
      return {
        content: [
          {
            type: 'text',
            text: `Unknown tool ${params.name.slice(0, 100)}. Call tools/list for the available tools.`,
          },
        ],
        isError: true,
      }
    release()
    return callTool(tool, params.arguments ?? {}, exchange, handle)
  })
  return server
}

type McpSdk = Awaited<ReturnType<typeof loadSdk>>

/** Loads the SDK at the first request instead of at the start of the process. */
async function loadSdk() {
  const [server, transport, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { ...server, ...transport, ...types }
}

const READ = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id'] as const

function toRequest(exchange: Exchange): Request {
  const headers = new Headers()
  for (const name of READ) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  const body = exchange.body === null ? null : new Uint8Array(exchange.body)
  return new Request(MCP_ADDRESS, { method: 'POST', headers, body })
}

async function toReply(response: Response, { list }: Tools): Promise<Reply> {
  // JSON strings contain quotation marks only after a backslash, so this cannot replace text of the client.
  const text = (await response.text()).replace(`"result":${EMPTY_LIST}`, () => `"result":${list}`)
  return {
    status: response.status,
    headers: REPLY_HEADERS,
    body: text === '' ? null : text,
  }
}
