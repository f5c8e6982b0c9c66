import { ApiError } from '../../core/errors.js'
import { findDataPath, nameRoute } from '../../core/operation-names.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_TYPE } from '../../platform/request/json-type.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Target, Transport } from '../../platform/request/transport.js'
import type { CompatInterfaceName } from '../../policy/compat-interfaces.js'
import { errorHeaders } from '../graphql/errors.js'
import { innerExchange } from '../http/inner-exchange.js'
import type { RouteTool } from '../mcp/tools.js'
import { COMPAT_PREFIX } from '../paths.js'
import { settleErrors } from '../rest/response/error-body.js'
import { toSourceHeaders } from '../rest/response/provenance-headers.js'
import { toRouteAddress } from '../rest/routes/route-address.js'
import { type RouteMatch, RouteTable } from '../rest/routes/route-table.js'
import type {
  CompatBody,
  CompatInterface,
  CompatRequest,
  CompatRoute,
  TranslatedCall,
} from './compat-interface.js'

export interface CompatOptions {
  /** Serves the operations. */
  readonly rest: Transport
  /** The operations that are read below /v1. */
  readonly operations: () => Promise<readonly RouteTool[]>
  /** Key as which a request without a credential is served; null: it is refused. */
  readonly visitorKey: string | null
}

type TableRoute = CompatRoute & { readonly method: 'GET' }

/** Serves one interface. Its requests are requests of the operations that they are translated into. */
export function createCompatTransport(
  name: CompatInterfaceName,
  compat: CompatInterface,
  options: CompatOptions,
): Transport {
  const base = `${COMPAT_PREFIX}/${name}`
  const table = new RouteTable<TableRoute>(
    compat.routes.map((route) => ({ ...route, path: `${base}${route.path}`, method: 'GET' })),
  )
  return {
    name,
    identify: (exchange) => identify(exchange, { name, table, options }),
    frame: () => ({ head: '', tail: '' }),
    refuse: (error, exchange) => refuse(error, exchange, compat, base),
  }
}

interface Served {
  readonly name: CompatInterfaceName
  readonly table: RouteTable<TableRoute>
  readonly options: CompatOptions
}

/** Errors are thrown by `prepare`, after authentication. To a caller with a clock it is the time of the clock, in errors too. */
function identify(exchange: Exchange, { name, table, options }: Served): Target {
  const shared = { interface: name, isOpen: false, headers: [] }
  let match: RouteMatch<TableRoute> | null = null
  try {
    match = table.match(exchange.method, exchange.path)
    const { route } = match
    const translate = translationOf(exchange, match)
    const translated = translate(exchange.now)
    const prepare = async (context: RequestContext) =>
      prepareTranslated(
        exchange,
        context.clock === undefined ? translated : translate(context.now),
        context,
        options,
      )
    if (!('operation' in translated)) return { ...shared, route: route.path, isOpen: true, prepare }
    return {
      ...shared,
      route: route.path,
      operation: translated.operation,
      ...(options.visitorKey === null ? {} : { visitorKey: options.visitorKey }),
      prepare,
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const refused = match
    const prepare = async ({ clock }: RequestContext) => {
      if (refused !== null && clock !== undefined) translationOf(exchange, refused)(clock.at)
      throw error
    }
    return { ...shared, route: match?.route.path ?? null, prepare }
  }
}

function translationOf(exchange: Exchange, match: RouteMatch<TableRoute>) {
  return (now: Date) => match.route.translate(toCompatRequest(exchange, match, now))
}

async function prepareTranslated(
  exchange: Exchange,
  translated: ReturnType<CompatRoute['translate']>,
  context: RequestContext,
  { rest, operations }: CompatOptions,
): Promise<PreparedOperation | Reply> {
  if (!('operation' in translated))
    return bodyReply('describe' in translated ? translated.describe(await operations()) : translated)
  return prepareCall(rest.identify(toRestExchange(exchange, translated)), translated, context)
}

function toCompatRequest(
  exchange: Exchange,
  { pathValues }: RouteMatch<TableRoute>,
  now: Date,
): CompatRequest {
  return {
    path: Object.fromEntries(pathValues),
    query: new URLSearchParams(exchange.search),
    accept: exchange.header('accept') ?? '',
    now,
  }
}

function toRestExchange(exchange: Exchange, { operation, args }: TranslatedCall): Exchange {
  const path = findDataPath(operation)
  if (path === null) throw new Error(`${operation} is not read by GET below /v1`)
  return innerExchange(exchange, {
    ...toRouteAddress(path, args),
    method: 'GET',
    headers: JSON_ONLY,
    body: null,
  })
}

const JSON_ONLY: ReadonlyMap<string, string> = new Map([['accept', JSON_TYPE]])

async function prepareCall(
  target: Target,
  call: TranslatedCall,
  context: RequestContext,
): Promise<PreparedOperation | Reply> {
  const prepared = await target.prepare(context)
  if ('status' in prepared) return prepared
  return {
    ...prepared,
    isCacheable: prepared.isCacheable && call.isVolatile !== true,
    run: async (own) => {
      if (call.endsAt !== undefined) own.validity?.endsBy(call.endsAt)
      return translateResult(await prepared.run(own), call)
    },
  }
}

/** Errors that `toBody` throws are free of charge, as those of the operation are. */
function translateResult(result: RunResult, call: TranslatedCall): RunResult {
  if (result.json === null) throw new Error(`${call.operation} has no JSON`)
  const answer: unknown = JSON.parse(result.json)
  const body = call.toBody(answer)
  const lifetime = call.isVolatile === true ? ['cache-control', 'no-store'] : []
  return {
    ...result,
    headers: [...headersOf(body), ...lifetime, ...toSourceHeaders(answer)],
    json: body.text,
  }
}

function headersOf({ type, headers = [] }: CompatBody): readonly string[] {
  return ['content-type', type, ...headers]
}

function bodyReply(body: CompatBody): Reply {
  return { status: 200, headers: headersOf(body), body: body.text }
}

function refuse(error: unknown, exchange: Exchange, compat: CompatInterface, base: string): Reply {
  const settled = settleErrors([error], exchange.log)
  const { status, ...body } = compat.toError({
    error: settled,
    message: settled.textFor(nameRoute),
    path: exchange.path.slice(base.length),
    query: new URLSearchParams(exchange.search),
  })
  const headers = [...headersOf(body), ...errorHeaders(settled, exchange.now)]
  return { status, headers, body: body.text }
}
