import type { CorsOrigins } from '../../core/cors-origins.js'
import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { Release } from '../http/limits/admission.js'
import type { Handle } from '../http/node.js'
import type { OpenSite } from '../http/pipeline.js'
import { foreignPage, isAllowedOrigin } from '../http/response/cors.js'
import { callTool } from './tool-call.js'
import { createTools, type OpenApiRoutes, type RouteTool } from './tools.js'

/** Where agents connect. */
export const MCP_PATH = '/mcp'

const MCP_ADDRESS = `http://gateway${MCP_PATH}`

export interface McpOptions {
  /** The OpenAPI document as JSON text. Called once, by the first agent. */
  readonly openApi: () => Promise<string>
  /** Answers the questions of tools. */
  readonly handle: Handle
  readonly corsOrigins: CorsOrigins
  readonly version: string
}

const INSTRUCTIONS =
  'Market data: prices, exchange rates, macro series, analyses, on-chain figures, sanctions screening. Each answer says in _meta how fresh it is and where it came from; is_dev_dataset marks synthetic figures. Send an API key in the header X-API-Key.'

/**
 * The Model Context Protocol by streamable HTTP: tools that ask the REST routes. Requests are stateless, so that any node
 * may answer them; there are no sessions and no streams.
 */
export function mcpSite(options: McpOptions): OpenSite {
  let tools: Promise<Tools> | undefined
  return (exchange, _caller, leave) => {
    if (exchange.path !== MCP_PATH) return null
    assertAllowedOrigin(exchange, options.corsOrigins)
    if (exchange.method !== 'POST')
      throw new ApiError('method_not_allowed', {
        message: `${exchange.method} is not allowed on ${MCP_PATH}; allowed: POST.`,
        allow: ['POST'],
      })
    if (isBatch(exchange)) return BATCH_REFUSED
    tools ??= options.openApi().then(readTools)
    return tools.then((known) => answer({ exchange, leave }, known, options))
  }
}

interface Tools {
  readonly byName: ReadonlyMap<string, RouteTool>
  /** The result of tools/list as JSON: everybody sees the same tools, and a call says what its caller lacks. */
  readonly list: string
}

function readTools(openApi: string): Tools {
  const tools = createTools(JSON.parse(openApi) as OpenApiRoutes) // our own document
  return {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    list: JSON.stringify({ tools: tools.map(({ route: _route, ...tool }) => tool) }),
  }
}

/** What the library writes as the result of tools/list; in its place the kept text is sent. */
const EMPTY_LIST = '{"tools":[]}'

const REPLY_HEADERS = ['content-type', 'application/json', 'cache-control', 'no-store'] as const

/** The protocol has had no batches since its version of 2025-06-18; one would do the work of many requests. */
const BATCH_REFUSED: Reply = {
  status: 400,
  headers: REPLY_HEADERS,
  body: JSON.stringify({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'Batches are not supported: send one message per request.' },
    id: null,
  }),
}

/** Whether the body is a JSON list; the whitespace of JSON may stand before it. */
function isBatch({ body }: Exchange): boolean {
  const first = body?.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
  return first === 0x5b
}

interface AcquiredRequest {
  readonly exchange: Exchange
  /** Gives back the place of this request: a tool call is admitted as a request of its own. */
  readonly leave: Release
}

/**
 * A page of another origin may ask only where the operator lets it: the protocol demands this of servers. Here the host of
 * the request is no proof that a page is of the gateway: a name of somebody else may lead to it (DNS rebinding).
 */
function assertAllowedOrigin(exchange: Exchange, origins: CorsOrigins): void {
  const origin = exchange.header('origin')
  if (origin === null || isAllowedOrigin(origin, origins)) return
  throw foreignPage()
}

async function answer(asked: AcquiredRequest, tools: Tools, options: McpOptions): Promise<Reply> {
  const mcp = await loadSdk()
  const server = serverOf(mcp, asked, tools, options)
  const transport = new mcp.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await replyOf(await transport.handleRequest(requestOf(asked.exchange)), tools)
  } finally {
    await server.close()
  }
}

function serverOf(
  { Server, CallToolRequestSchema, ListToolsRequestSchema }: McpSdk,
  { exchange, leave }: AcquiredRequest,
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
        content: [{ type: 'text', text: `There is no tool ${params.name.slice(0, 100)}.` }],
        isError: true,
      }
    leave()
    return callTool(tool, params.arguments ?? {}, exchange, handle)
  })
  return server
}

type McpSdk = Awaited<ReturnType<typeof loadSdk>>

/** Loaded when an agent asks for the first time, not at the start of the process. */
async function loadSdk() {
  const [server, transport, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { ...server, ...transport, ...types }
}

const READ = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id'] as const

function requestOf(exchange: Exchange): Request {
  const headers = new Headers()
  for (const name of READ) {
    const value = exchange.header(name)
    if (value !== null) headers.set(name, value)
  }
  const body = exchange.body === null ? null : new Uint8Array(exchange.body)
  return new Request(MCP_ADDRESS, { method: 'POST', headers, body })
}

async function replyOf(response: Response, { list }: Tools): Promise<Reply> {
  // In JSON no text has quotation marks without a backslash before them, so nothing of the client's is replaced.
  const text = (await response.text()).replace(`"result":${EMPTY_LIST}`, () => `"result":${list}`)
  return {
    status: response.status,
    headers: REPLY_HEADERS,
    body: text === '' ? null : text,
  }
}
