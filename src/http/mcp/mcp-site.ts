import { ApiError } from '../../core/errors.js'
import type { Origins } from '../../core/origins.js'
import { loadMcp, type McpModule } from '../../platform/mcp.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { Handle } from '../node.js'
import type { OpenSite } from '../pipeline.js'
import { foreignPage, isAllowedOrigin } from '../response/cors.js'
import { callTool } from './tool-call.js'
import { type OpenApiRoutes, type RouteTool, toolsOf } from './tools.js'

/** Where agents connect. */
export const MCP_PATH = '/mcp'

const MCP_ADDRESS = `http://gateway${MCP_PATH}`

export interface McpOptions {
  /** The OpenAPI document as JSON text. Called once, by the first agent. */
  readonly openApi: () => string
  /** Answers the questions of tools. */
  readonly handle: Handle
  readonly corsOrigins: Origins
  readonly version: string
}

const INSTRUCTIONS =
  'Market data: prices, exchange rates, macro series, analyses, on-chain figures, sanctions screening. Each answer says in _meta how fresh it is and where it came from; is_dev_dataset marks synthetic figures. Send an API key in the header X-API-Key.'

/**
 * The Model Context Protocol by streamable HTTP: tools that ask the REST routes. Requests are stateless, so that any node
 * may answer them; there are no sessions and no streams.
 */
export function mcpSite(options: McpOptions): OpenSite {
  let tools: ReadonlyMap<string, RouteTool> | undefined
  return (exchange) => {
    if (exchange.path !== MCP_PATH) return null
    refuseForeign(exchange, options.corsOrigins)
    if (exchange.method !== 'POST')
      throw new ApiError('method_not_allowed', {
        message: `${exchange.method} is not allowed on ${MCP_PATH}; allowed: POST.`,
        allow: ['POST'],
      })
    tools ??= new Map(
      toolsOf(JSON.parse(options.openApi()) as OpenApiRoutes).map((tool) => [tool.name, tool]),
    )
    return answer(exchange, tools, options)
  }
}

/**
 * A page of another origin may ask only where the operator lets it: the protocol demands this of servers. Here the host of
 * the request is no proof that a page is of the gateway: a name of somebody else may lead to it (DNS rebinding).
 */
function refuseForeign(exchange: Exchange, origins: Origins): void {
  const origin = exchange.header('origin')
  if (origin === null || isAllowedOrigin(origin, origins)) return
  throw foreignPage()
}

async function answer(
  exchange: Exchange,
  tools: ReadonlyMap<string, RouteTool>,
  options: McpOptions,
): Promise<Reply> {
  const mcp = await loadMcp()
  const server = serverOf(mcp, exchange, tools, options)
  const transport = new mcp.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await replyOf(await transport.handleRequest(requestOf(exchange)))
  } finally {
    await server.close()
  }
}

function serverOf(
  { Server, CallToolRequestSchema, ListToolsRequestSchema }: McpModule,
  exchange: Exchange,
  tools: ReadonlyMap<string, RouteTool>,
  { handle, version }: McpOptions,
) {
  const server = new Server(
    { name: 'market-data-gateway', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ route: _route, ...tool }) => tool),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.get(params.name)
    if (tool === undefined)
      return {
        content: [{ type: 'text', text: `There is no tool ${params.name.slice(0, 100)}.` }],
        isError: true,
      }
    return callTool(tool, params.arguments ?? {}, exchange, handle)
  })
  return server
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

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  return {
    status: response.status,
    headers: [
      'content-type',
      response.headers.get('content-type') ?? 'application/json',
      'cache-control',
      'no-store',
    ],
    body: text === '' ? null : text,
  }
}
