import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { GraphQLError } from 'graphql'
import { ApiError } from '../core/errors.js'
import type { GraphQLContext } from '../graphql/builder.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { EMPTY_PLAN, type OperationPlan, planOperation } from '../graphql/plan.js'
import type { BurstGuard } from '../platform/burst-guard.js'
import type { Counters } from '../platform/counters.js'
import type { DoorContext, Refuse } from '../platform/door-context.js'
import type { UsageRecorder } from '../platform/usage.js'
import type { Caller } from '../policy/principal.js'
import {
  policiesOf,
  type QuotaPolicy,
  quotaExceeded,
  rateLimitHeaders,
  remainingOf,
  type Standing,
  tightestOf,
} from '../policy/quota.js'
import { isGuarded } from './paths.js'

export interface MeterOptions {
  readonly counters: Counters
  readonly usage: UsageRecorder
  /** Whether callers without a key may ask for the schema. */
  readonly introspection: 'public' | 'private'
}

/** Bounds how fast one key or one address may ask, whatever it asks: what is free of charge is bounded too. */
export function useBurstGuard(options: { readonly burst: BurstGuard; readonly refuse: Refuse }): DoorPlugin {
  return {
    onRequest({ request, url, serverContext, endResponse }) {
      if (!isGuarded(url.pathname) || request.method === 'OPTIONS') return
      const door = serverContext
      const { principal } = door
      const keys =
        principal.kind === 'anonymous' ? [door.origin] : [door.origin, principal.keyId ?? principal.accountId]
      for (const key of keys) {
        const verdict = options.burst.allow(key, door.now)
        if (verdict.allowed) continue
        const retryAfter = Math.ceil(verdict.retryAt.getTime() / 1000)
        const message = 'Too many requests in this minute from one key or address; slow down.'
        endResponse(
          options.refuse(new ApiError('rate_limit_exceeded', { message, retryAfter }), request, door),
        )
        return
      }
    },
  }
}

type MeteredContext = GraphQLContext & DoorContext & { request: Request }

/**
 * The one meter of both doors: plans the operation (access, arguments, price), takes the price from the caller's
 * quotas before anything runs, and says on every answer where they stand.
 */
export function useMeter(options: MeterOptions): DoorPlugin {
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      const context = args.contextValue as unknown as MeteredContext // server context and request context in one
      const plan = await planOf(args, context)
      context.plan = plan
      context.operation = [...plan.fields.values()].map((field) => field.field).join(',') || null
      if (plan.introspects && context.principal.kind === 'anonymous' && options.introspection === 'private') {
        setResultAndStopExecution(failure(new ApiError('unauthorized')))
        return
      }
      if (context.principal.kind === 'anonymous') return
      const outcome = await charge(options, context, context.principal, plan)
      if ('stop' in outcome) {
        setResultAndStopExecution(outcome.stop)
        return
      }
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return
          setResult({ ...result, extensions: { ...result.extensions, cost: outcome.cost } })
        },
      }
    },
    async onResponse({ response, serverContext }) {
      const door = serverContext
      if (door.principal.kind === 'anonymous' || response.headers.has('x-ratelimit-limit')) return
      if ('x-ratelimit-limit' in door.replyHeaders) return
      const standings = await standingsOf(
        options.counters,
        policiesOf(door.principal, 'metered', door.now),
        door.now,
      )
      setHeaders(response.headers, rateLimitHeaders(standings, door.now))
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

/** Takes the plan's price, or says why not; fills the rate limit headers either way. */
async function charge(
  options: MeterOptions,
  context: MeteredContext,
  caller: Caller,
  plan: OperationPlan,
): Promise<{ readonly cost: Cost } | { readonly stop: ExecutionResult }> {
  const { now } = context
  const discovers = [...plan.fields.values()].filter(
    (field) => field.endpoint.cost === 'discover' && field.units > 0,
  ).length
  const policies = policiesOf(caller, discovers > 0 ? 'discover' : 'metered', now)
  const isDryRun = context.request.headers.get('x-dry-run') === 'cost'
  if (plan.units === 0 || isDryRun) {
    const standings = await standingsOf(options.counters, policies, now)
    Object.assign(context.replyHeaders, rateLimitHeaders(standings, now))
    const cost = { charged: 0, remaining: leftOf(standings) }
    return isDryRun
      ? { stop: { data: null, extensions: { cost: { ...cost, price: plan.units } } } }
      : { cost }
  }
  const charges = policies.map((policy) => ({
    key: policy.counterKey,
    quota: policy.quota,
    units: policy.name === 'discover_day' ? discovers : plan.units,
    windowEnd: policy.windowEnd,
  }))
  const { accepted, used } = await options.counters.take(charges, now)
  const standings = policies.map((policy, index) => ({
    policy,
    used: used[index] ?? 0,
    units: charges[index]?.units ?? 0,
  }))
  Object.assign(context.replyHeaders, rateLimitHeaders(standings, now))
  if (!accepted) return { stop: failure(quotaExceeded(caller.tier, standings)) }
  context.charged = plan.units
  recordUsage(options.usage, caller, plan, now)
  return { cost: { charged: plan.units, remaining: leftOf(standings) } }
}

function failure(error: ApiError): ExecutionResult {
  return { data: null, errors: [new GraphQLError(error.message, { originalError: error })] }
}

async function standingsOf(
  counters: Counters,
  policies: readonly QuotaPolicy[],
  now: Date,
): Promise<readonly Standing[]> {
  const used = await counters.peek(
    policies.map((policy) => ({
      key: policy.counterKey,
      quota: policy.quota,
      units: 0,
      windowEnd: policy.windowEnd,
    })),
    now,
  )
  return policies.map((policy, index) => ({ policy, used: used[index] ?? 0 }))
}

/** Units left in the tightest window. */
function leftOf(standings: readonly Standing[]): number {
  const tightest = tightestOf(standings)
  return tightest === null ? 0 : remainingOf(tightest)
}

function recordUsage(usage: UsageRecorder, caller: Caller, plan: OperationPlan, at: Date): void {
  for (const { field, units } of plan.fields.values()) {
    if (units === 0) continue
    usage.record({
      accountId: caller.accountId,
      keyId: caller.keyId,
      operation: field,
      units,
      requests: 1,
      at,
    })
  }
}

function setHeaders(target: Headers, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) target.set(name, String(headers[name]))
}
