import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { locatedError } from 'graphql'
import { ApiError } from '../core/errors.js'
import type { GraphQLContext } from '../graphql/builder.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { refused } from '../graphql/errors.js'
import { chargedFields, EMPTY_PLAN, type OperationPlan, planOperation } from '../graphql/plan.js'
import type { BurstGuard } from '../platform/burst-guard.js'
import type { DoorContext, Refuse } from '../platform/door-context.js'
import { type Caller, callerKey } from '../policy/principal.js'
import { leftOf, quotaExceeded, rateLimitHeaders } from '../policy/quota.js'
import type { Meter, Price } from './meter.js'
import { isGuarded } from './paths.js'

export interface MeteringOptions {
  readonly meter: Meter
  /** Whether callers without a key may ask for the schema. */
  readonly introspection: 'public' | 'private'
}

/**
 * Bounds how fast one address or one key may ask, whatever it asks: what is free of charge is bounded too. By address it
 * comes before authentication, so that guessing keys is bounded; by key after it.
 */
export function useBurstGuard(options: {
  readonly burst: BurstGuard
  readonly by: 'address' | 'key'
  readonly refuse: Refuse
}): DoorPlugin {
  return {
    onRequest({ request, url, serverContext, endResponse }) {
      if (!isGuarded(url.pathname) || request.method === 'OPTIONS') return
      const door = serverContext
      const { principal } = door
      if (options.by === 'key' && principal.kind === 'anonymous') return
      const key =
        options.by === 'address' || principal.kind === 'anonymous' ? door.origin : callerKey(principal)
      const verdict = options.burst.allow(key, door.now)
      if (verdict.allowed) return
      const retryAfter = Math.ceil(verdict.retryAt.getTime() / 1000)
      const message = `Too many requests in this minute from one ${options.by}; slow down.`
      endResponse(options.refuse(new ApiError('rate_limit_exceeded', { message, retryAfter }), request, door))
    },
  }
}

type MeteredContext = GraphQLContext & DoorContext & { request: Request }

/**
 * The meter at both doors: plans the operation (access, arguments, price), takes the price from the caller's quotas
 * before anything runs, and says on every answer where they stand.
 */
export function useMeter(options: MeteringOptions): DoorPlugin {
  /** The cost of what may run now; null when something else was answered instead. */
  const admit = async (
    args: ExecutionArgs,
    setResultAndStopExecution: (result: ExecutionResult) => void,
  ): Promise<Cost | null> => {
    const context = args.contextValue as MeteredContext // server context and request context in one
    const plan = await planOf(args, context)
    context.plan = plan
    context.operation = [...plan.fields.values()].map((field) => field.field).join(',') || null
    if (plan.introspects && context.principal.kind === 'anonymous' && options.introspection === 'private') {
      setResultAndStopExecution(refused(new ApiError('unauthorized')))
      return null
    }
    const isDryRun = context.request.headers.get('x-dry-run') === 'cost'
    if (context.principal.kind === 'anonymous') {
      // Nobody without a key is charged, but a dry run must not run what is open either.
      if (isDryRun) setResultAndStopExecution(priced(plan, { charged: 0, remaining: 0 }))
      return null
    }
    if (isDryRun) {
      setResultAndStopExecution(priced(plan, await standing(options.meter, context, context.principal, plan)))
      return null
    }
    const outcome = await charge(options.meter, context, context.principal, plan)
    if ('stop' in outcome) {
      setResultAndStopExecution(outcome.stop)
      return null
    }
    return outcome.cost
  }
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      const cost = await admit(args, setResultAndStopExecution)
      if (cost === null) return
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return
          setResult({ ...result, extensions: { ...result.extensions, cost } })
        },
      }
    },
    // Charged when it is opened; the headers say where the caller stands.
    async onSubscribe({ args, setResultAndStopExecution }) {
      await admit(args, setResultAndStopExecution)
    },
    async onResponse({ response, serverContext }) {
      const door = serverContext
      // A preflight is answered before the request has a principal.
      if (!door.principal || door.principal.kind === 'anonymous') return
      if (response.headers.has('x-ratelimit-limit')) return
      const limits = await options.meter.limitHeaders(door.principal, door.now, door.log)
      for (const name in limits) response.headers.set(name, String(limits[name]))
    },
  }
}

async function planOf(args: ExecutionArgs, context: GraphQLContext): Promise<OperationPlan> {
  const { schema, document, operationName, variableValues } = args
  return (await planOperation(schema, document, operationName, variableValues, context)) ?? EMPTY_PLAN
}

interface Cost {
  readonly charged: number
  readonly remaining: number
  /** Only in a dry run: what the operation would be charged. */
  readonly price?: number
}

/** The answer to a dry run: the price of what would run, and why the rest would be refused. */
function priced(plan: OperationPlan, cost: Cost): ExecutionResult {
  const errors = [...plan.fields].flatMap(([key, planned]) =>
    'error' in planned ? [locatedError(planned.error, undefined, [key])] : [],
  )
  const extensions = { cost: { ...cost, price: plan.units } }
  return { data: null, extensions, ...(errors.length > 0 ? { errors } : {}) }
}

function priceOf(plan: OperationPlan): Price {
  const discovers = [...plan.fields.values()].filter(
    ({ endpoint, units }) => endpoint.cost === 'discover' && units > 0,
  )
  return { fields: chargedFields(plan), units: plan.units, discovers: discovers.length }
}

/** What is left, with nothing taken; fills the rate limit headers. */
async function standing(
  meter: Meter,
  context: MeteredContext,
  caller: Caller,
  plan: OperationPlan,
): Promise<Cost> {
  const standings = await meter.standings(caller, context.now, priceOf(plan).discovers > 0)
  Object.assign(context.replyHeaders, rateLimitHeaders(standings, context.now))
  return { charged: 0, remaining: leftOf(standings) }
}

/** Takes the plan's price, or says why not; fills the rate limit headers either way. */
async function charge(
  meter: Meter,
  context: MeteredContext,
  caller: Caller,
  plan: OperationPlan,
): Promise<{ readonly cost: Cost } | { readonly stop: ExecutionResult }> {
  const { now, origin } = context
  if (plan.units === 0) return { cost: await standing(meter, context, caller, plan) }
  const { accepted, standings } = await meter.charge(caller, priceOf(plan), origin, now)
  Object.assign(context.replyHeaders, rateLimitHeaders(standings, now))
  if (!accepted) return { stop: refused(quotaExceeded(caller.tier, standings)) }
  context.charged = plan.units
  return { cost: { charged: plan.units, remaining: leftOf(standings) } }
}
