import { formatCount } from '../../core/format-count.js'
import { addDays, toIsoDate } from '../../core/time.js'
import { AUDIT_DAYS, listAudit } from '../../domains/access/audit-store.js'
import { applyRetention } from '../../domains/access/retention-service.js'
import { loadUsage, USAGE_DAYS } from '../../platform/usage/usage.js'
import { DISCOVER_PER_DAY_FREE, quotasOf } from '../../policy/limits.js'
import { SCOPES, scopesOfTier } from '../../policy/scopes.js'
import { TIERS } from '../../policy/tiers.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import { parseAccountName, parseNumberOption } from './arguments.js'
import type { Command } from './command.js'
import { anyAccount, withAccess } from './installation.js'
import { table } from './table.js'

const usage: Command = {
  name: 'usage',
  parameters: ['account'],
  options: ['days'],
  summary: 'units and requests of an account per UTC day and operation',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    const days = parseNumberOption(given, 'days', { min: 1, max: USAGE_DAYS, fallback: 30 })
    return withAccess(given, async (access) => {
      const { accountId } = await anyAccount(access, name)
      const to = toIsoDate(access.clock.now())
      const from = addDays(to, 1 - days)
      const rows = await loadUsage(access.database.prisma, { accountId, from, to })
      const units = rows.reduce((sum, row) => sum + row.units, 0)
      const requests = rows.reduce((sum, row) => sum + row.requests, 0)
      const shown = table(
        ['day', 'operation', 'units', 'requests'],
        rows.map((row) => [row.day, row.operation, row.units, row.requests]),
        'no usage',
      )
      return {
        json: { account_id: accountId, from, to, units, requests, days: rows },
        text: `${shown}\n${from} to ${to}: ${formatCount(units, 'unit')}, ${formatCount(requests, 'request')}\n`,
      }
    })
  },
}

const audit: Command = {
  name: 'audit',
  parameters: ['account'],
  options: ['limit'],
  summary: `audit events of an account in the last ${AUDIT_DAYS} days, newest first`,
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    const limit = parseNumberOption(given, 'limit', { min: 1, max: 1000, fallback: 50 })
    return withAccess(given, async (access) => {
      const { accountId } = await anyAccount(access, name)
      const events = await listAudit(access.database.prisma, accountId, limit)
      return {
        json: {
          account_id: accountId,
          events: events.map(({ keyId, ...event }) => ({ ...event, key_id: keyId })),
        },
        text: table(
          ['at', 'action', 'by', 'key', 'details'],
          events.map(({ at, action, actor, keyId, details }) => [
            at,
            action,
            actor,
            keyId,
            details === null ? null : JSON.stringify(details),
          ]),
          'no events',
        ),
      }
    })
  },
}

const tiers: Command = {
  name: 'tiers',
  summary: 'published limits and scopes of all tiers; needs no database',
  run: async () => {
    const rows = TIERS.map((tier) => ({
      tier,
      ...quotasOf(tier, null),
      discover_day: tier === 'free' ? DISCOVER_PER_DAY_FREE : null,
      by_contract: tier === 'enterprise',
      scopes: [...scopesOfTier(tier)].filter((scope) => SERVED_SCOPES.has(scope)),
    }))
    const scopes = [...SERVED_SCOPES].map((scope) => ({ scope, ...SCOPES[scope] }))
    const limits = table(
      ['tier', 'per month', 'per hour', 'discover per day', 'scopes'],
      rows.map((row) => [row.tier, row.month, row.hour, row.discover_day, row.scopes.length]),
      '',
    )
    const opened = table(
      ['scope', 'from', 'opens'],
      scopes.map(({ scope, from, opens }) => [scope, from ?? 'grant only', opens]),
      '',
    )
    const note = 'enterprise: has the quotas of pro until its contract is set (users set-contract)\n'
    return { json: { tiers: rows, scopes }, text: `${limits}\n${note}\n${opened}` }
  },
}

const retention: Command = {
  name: 'retention',
  summary: `deletes audit events and usage older than ${AUDIT_DAYS} days, which the gateway also does every day`,
  run: (given) =>
    withAccess(given, async ({ database, clock }) => {
      const removed = await applyRetention(database, clock.now())
      if (removed === null) {
        return { json: { applied: false }, text: 'another node is applying the retention\n' }
      }
      return {
        json: { applied: true, audit_events_deleted: removed.auditEvents },
        text: `audit events deleted: ${removed.auditEvents}; usage older than ${USAGE_DAYS} days is deleted\n`,
      }
    }),
}

export const RECORD_COMMANDS: readonly Command[] = [usage, audit, tiers, retention]
