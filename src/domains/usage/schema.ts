import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { TierType } from '../access/tier-schema.js'
import type { DayUsage, PolicyUsage, Usage } from './model.js'
import { getUsage } from './service.js'

const PolicyNameType = describedEnum('QuotaPolicy', 'A quota and its window, in UTC.', {
  hour: 'Units per clock hour.',
  month: 'Units per calendar month.',
  discover_day: 'Calls of discover per day; free tier only.',
})

const PolicyUsageType = builder.objectRef<PolicyUsage>('PolicyUsage').implement({
  description: 'The state of one quota. Quotas belong to the account: all its keys share them.',
  fields: (t) => ({
    policy: t.expose('policy', { type: PolicyNameType, description: 'Which quota.' }),
    used: t.exposeInt('used', { description: 'Units charged in the window so far.' }),
    quota: t.exposeInt('quota', { description: 'Units the window holds.' }),
    remaining: t.exposeInt('remaining', { description: 'Units left.' }),
    reset: t.expose('reset', {
      type: 'DateTime',
      description: 'When the window ends and the count starts again from 0.',
    }),
  }),
})

const DayUsageType = builder.objectRef<DayUsage>('DayUsage').implement({
  description: 'What one operation was charged on one day.',
  fields: (t) => ({
    date: t.expose('date', { type: 'Date', description: 'UTC day.' }),
    operation: t.exposeString('operation', {
      description: 'Root field, e.g. forex; the same for REST and GraphQL.',
    }),
    units: t.exposeInt('units', {
      description: 'Units charged, those for events of subscriptions included.',
    }),
    requests: t.exposeInt('requests', {
      description: 'Calls answered; a subscription is one, however many events it sends.',
    }),
  }),
})

const UsageType = builder.objectRef<Usage>('Usage').implement({
  description: 'Quotas and use of the account behind the key or token.',
  fields: (t) => ({
    tier: t.expose('tier', { type: TierType, description: 'Tier of the account.' }),
    policies: t.expose('policies', {
      type: [PolicyUsageType],
      description: 'One entry per quota that applies.',
    }),
    days: t.expose('days', {
      type: [DayUsageType],
      description: 'The last 90 days, newest first; days without use are absent.',
    }),
  }),
})

/** One per day and operation that was used on it; few use as many operations as this assumes. */
const MAX_USAGE_ROWS = 90 * 20

queryEndpoint('usage', {
  isUnsteady: true,
  summary: 'Quotas and use',
  description:
    'Per quota what is used, left and when it resets, and what was charged per day and operation over the last 90 days. Free of charge.',
  access: 'caller',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/usage', tag: 'access', table: { rows: 'days' } },
  type: UsageType,
  check: () => null,
  rows: () => MAX_USAGE_ROWS,
  resolve: (_nothing, context) => getUsage(context),
})
