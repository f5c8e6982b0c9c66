import type { Server } from '@modelcontextprotocol/server'
import type { CorsOrigins } from '../../config/cors-origins.js'
import { shownText } from '../../core/argument-parsers.js'
import { ApiError, invalid, noCredential } from '../../core/errors.js'
import { isObject } from '../../core/is-object.js'
import { nameInRun, nameTool } from '../../core/operation-names.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { isJsonType } from '../../platform/request/json-type.js'
import { parseBody } from '../../platform/request/parse-body.js'
import type { Principal } from '../../policy/principal.js'
import { MAX_ANONYMOUS_BYTES } from '../http/connection/read-body.js'
import { assertNoCredentialInQuery } from '../http/identity/credentials.js'
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
import { hasLimit, partReceiptOption, type RouteTool, withReceiptOption } from './tools.js'

/** Where agents connect. */
export const MCP_PATH = '/mcp'

const MCP_ADDRESS = `http://gateway${MCP_PATH}`

export interface McpOptions {
  /** The tools of all routes. Called once, by the first agent. */
  readonly tools: () => Promise<readonly RouteTool[]>
  /** Handles the REST requests of tool calls. */
  readonly handle: Handle
  readonly corsOrigins: CorsOrigins
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
    assertAllowedOrigin(exchange, options.corsOrigins)
    if (exchange.method !== 'POST')
      throw new ApiError('method_not_allowed', {
        message: `${exchange.method} is not allowed on ${MCP_PATH}; allowed: POST.`,
        allow: ['POST'],
      })
    if (exchange.header('x-api-key') === null && exchange.header('authorization') === null)
      assertNoCredentialInQuery(exchange)
    const toolset = toolsetOf(exchange)
    tools ??= options.tools().then(arrangeTools)
    const found = tools
    return assertAdmitted(exchange, caller).then(async () => {
      const message = messageOf(exchange)
      if ('refusal' in message) return message.refusal
      return answer({ exchange, value: message.value, release, toolset }, await found, options)
    })
  }
}

/** Only large bodies and requests of foreign pages, which browsers send, are checked here; the call of a route checks the rest. */
async function assertAdmitted(exchange: Exchange, caller: () => Promise<Principal>): Promise<void> {
  const isLarge = (exchange.body?.length ?? 0) > MAX_ANONYMOUS_BYTES
  if (!isLarge && !isForeignFetch(exchange)) return
  const principal = await caller()
  if (isLarge && principal.kind === 'anonymous') throw noCredential()
  assertOwnPage(principal, exchange)
}

interface Tools {
  readonly byName: ReadonlyMap<string, RouteTool>
  readonly agentTools: ReadonlyMap<string, AgentTool>
  /** JSON of the lists of tools. Every caller sees the same tools; a call without the required scope fails. */
  readonly lists: Readonly<Record<Toolset, string>>
}

/** Six tools for agents by default, or a tool for each route. */
type Toolset = 'default' | 'full'

function arrangeTools(tools: readonly RouteTool[]): Tools {
  const byName = new Map(tools.map((tool) => [tool.tool.name, tool]))
  const agentTools = createAgentTools({ byName, index: createOperationIndex(tools) })
  return {
    byName,
    agentTools: new Map(agentTools.map((tool) => [tool.tool.name, tool])),
    lists: {
      default: JSON.stringify(agentTools.map(({ tool }) => tool)),
      full: JSON.stringify(tools.map(withReceiptOption)),
    },
  }
}

/** The tools that the address of a request selects: `?toolset=full`. Throws 422 for another value. */
function toolsetOf({ search }: Exchange): Toolset {
  const toolset = new URLSearchParams(search).get('toolset') ?? 'default'
  if (toolset === 'default' || toolset === 'full') return toolset
  throw invalid({ field: 'toolset', message: `must be default or full; got ${shownText(toolset)}` })
}

const LIST_METHOD = 'tools/list'

/** The empty list in the library's answer. In an id its quotes would be escaped. */
const EMPTY_LIST = '"tools":[]'

/** How long clients may keep the list of tools, which changes only with the version of the gateway. */
const LIST_LIFE = { ttlMs: 3_600_000, cacheScope: 'public' } as const

const REPLY_HEADERS = ['content-type', 'application/json', 'cache-control', 'no-store'] as const

type Message = { readonly value: object } | { readonly refusal: Reply }

/**
 * The message in the body. Version 2025-06-18 of the protocol removed batches, which would do the work of many requests in
 * one.
 */
function messageOf(exchange: Exchange): Message {
  const type = exchange.header('content-type') ?? ''
  if (!isJsonType(type)) throw new ApiError('unsupported_media_type')
  try {
    const value = parseBody(exchange)
    if (Array.isArray(value))
      return refused(INVALID_REQUEST, 'Batches are not supported: send one message per request.')
    if (!isObject(value)) return refused(INVALID_REQUEST, 'The body must be a JSON object.')
    return { value }
  } catch (error) {
    if (error instanceof ApiError) return refused(PARSE_ERROR, error.message)
    throw error
  }
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

function refused(code: number, message: string): Message {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  return { refusal: { status: 400, headers: REPLY_HEADERS, body } }
}

interface AcquiredRequest {
  readonly exchange: Exchange
  /** The parsed message. The library gets it instead of the body. */
  readonly value: object
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
  const { value, toolset } = acquired
  const request = toRequest(acquired.exchange)
  const response = (await sdk.isLegacyRequest(request, value))
    ? await answerLegacy(sdk, createServer(), request, value)
    : await answerModern(sdk, createServer, request, value)
  return toReply(response, 'method' in value && value.method === LIST_METHOD ? tools.lists[toolset] : null)
}

type McpSdk = typeof import('@modelcontextprotocol/server')

/** Version 2026-07-28 of the protocol: each request names its version and the client, and there is no handshake. */
async function answerModern(
  sdk: McpSdk,
  createServer: () => Server,
  request: Request,
  parsedBody: object,
): Promise<SdkResponse> {
  // The tools never change while the gateway runs, so there is nothing to subscribe to.
  const handler = sdk.createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 })
  try {
    return await read(await handler.fetch(request, { parsedBody }))
  } finally {
    await handler.close()
  }
}

/** Versions up to 2025-11-25, which begin with a handshake. */
async function answerLegacy(
  sdk: McpSdk,
  server: Server,
  request: Request,
  parsedBody: object,
): Promise<SdkResponse> {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await read(await transport.handleRequest(request, { parsedBody }))
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
  server.setRequestHandler(LIST_METHOD, () => ({ tools: [] })) // `toReply` fills in the list
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { name, arguments: given = {} } = params
    const agentTool = toolset === 'full' ? undefined : tools.agentTools.get(name)
    if (agentTool !== undefined) {
      release()
      return agentTool.run(given, (operation, args, maxBytes = MAX_RESULT_BYTES, wantsReceipt = false) =>
        callRoute(operation, args, { exchange, handle, maxBytes, wantsReceipt, nameOperation: nameInRun }),
      )
    }
    const tool = tools.byName.get(name)
    if (tool === undefined)
      return errorResult(`Unknown tool ${name.slice(0, 100)}. Call tools/list for the available tools.`)
    release()
    const { args, wantsReceipt } = partReceiptOption(tool, given)
    const { isError, text, receipt } = await callRoute(tool, args, {
      exchange,
      handle,
      maxBytes: MAX_RESULT_BYTES,
      wantsReceipt,
      nameOperation: nameTool,
    })
    if (isError) return errorResult(text)
    const body = receipt === null ? text : JSON.stringify({ answer: text, receipt })
    return jsonResult(body, MAX_RESULT_BYTES, { hasLimit: hasLimit(tool) })
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
  return new Request(MCP_ADDRESS, { method: 'POST', headers })
}

interface SdkResponse {
  readonly status: number
  readonly text: string
}

async function read(response: Response): Promise<SdkResponse> {
  return { status: response.status, text: await response.text() }
}

/** The library checks and answers each request for the list; the list itself was written once. */
function toReply({ status, text }: SdkResponse, list: string | null): Reply {
  const body = list === null ? text : text.replace(EMPTY_LIST, () => `"tools":${list}`)
  return { status, headers: REPLY_HEADERS, body: body === '' ? null : body }
}
