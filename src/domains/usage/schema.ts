import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { day, instant, integer, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { TierType } from '../access/tier-schema.js'
import type { DayUsage, PolicyUsage, Usage } from './model.js'
import { getUsage } from './service.js'

const PolicyNameType = describedEnum('QuotaPolicy', 'A quota and its window, in UTC.', {
  hour: 'Units per clock hour.',
  key_hour: 'Units per clock hour of a key for addresses.',
  month: 'Units per calendar month.',
  discover_day: 'Calls of discover per day; free tier only.',
})

const PolicyUsageType = builder.objectRef<PolicyUsage>('PolicyUsage').implement({
  description: 'Usage of one quota. All keys of an account share its quotas.',
  fields: (t) =>
    shownFields(t, {
      policy: shownAs(PolicyNameType)('Which quota.'),
      used: integer('Units charged so far in this window.'),
      quota: integer('Units allowed per window.'),
      remaining: integer('Units left until `reset`.'),
      reset: instant('When the window ends and `used` returns to 0.'),
    }),
})

const DayUsageType = builder.objectRef<DayUsage>('DayUsage').implement({
  description: 'Units charged for one operation on one day.',
  fields: (t) =>
    shownFields(t, {
      date: day('UTC day.'),
      operation: text('Root field, e.g. forex; the same for REST and GraphQL.'),
      units: integer('Units charged, including units for events of subscriptions.'),
      requests: integer(
        'Requests answered. A subscription counts as one request, however many events it sends.',
      ),
    }),
})

const UsageType = builder.objectRef<Usage>('Usage').implement({
  description: 'Quotas and usage of the account that the key or token belongs to.',
  fields: (t) =>
    shownFields(t, {
      tier: shownAs(TierType)('Tier of the account.'),
      policies: shownAs([PolicyUsageType])('One entry per quota that applies.'),
      days: shownAs([DayUsageType])('The last 90 days, newest first. Days without usage are omitted.'),
    }),
})

/** One row per day and used operation; few accounts use more than 20 operations a day. */
const MAX_USAGE_ROWS = 90 * 20

queryEndpoint('usage', {
  isVolatile: true,
  summary: 'Quotas and usage',
  keywords: ['quota', 'limits', 'units left', 'rate limit', 'how many requests'],
  description:
    'For each quota: units used, units left and when it resets. For each of the last 90 days: units charged per operation. This request is free of charge.',
  access: 'account',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/usage', tag: 'access', table: { rows: 'days' } },
  type: UsageType,
  check: () => null,
  rows: () => MAX_USAGE_ROWS,
  resolve: (_nothing, context) => getUsage(context),
})
