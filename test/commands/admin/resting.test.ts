import { describe, expect, it, onTestFinished } from 'vitest'
import { examine } from '../../../src/checks/examine.js'
import { runAdmin } from '../../../src/commands/admin/run.js'
import { systemClock } from '../../../src/core/time.js'
import { requestTurns } from '../../../src/platform/http-client/request-turns.js'
import { quickestDatabase } from '../../support/database/database.js'
import { inDatabase, newInstallation } from '../admin-world.js'

const CAUSE =
  'https://data.sec.gov/a answered with status 403: the provider blocks this address for 10 minutes'

describe('a provider that rests', { timeout: 120_000 }, () => {
  it('is shown to operators with its end and its cause', async () => {
    const installation = await newInstallation(quickestDatabase(), 'seeded')
    onTestFinished(() => installation.remove())
    const { env } = installation
    const feeds = async (...options: readonly string[]) => (await runAdmin(['feeds', ...options], env)).out
    const providers = async () =>
      (await examine(env, systemClock)).filter(({ check }) => check.startsWith('provider '))
    expect(await feeds()).toContain('no provider blocks this installation or asked for a pause')
    expect(await providers()).toEqual([])

    await inDatabase(installation, (database) => requestTurns(database).rest('sec', 600_000, CAUSE))
    const { resting } = JSON.parse(await feeds('--json')) as { readonly resting: unknown }
    const until = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(resting).toEqual([{ provider: 'sec', rest_until: until, rest_cause: CAUSE }])
    expect(await feeds()).toMatch(/^provider +rest until +rest cause\nsec +\S+ .*status 403/m)
    expect(await providers()).toEqual([
      {
        check: 'provider sec',
        status: 'warning',
        message: expect.stringMatching(/^gets no requests before \S+Z: https:.*status 403/),
        advice: expect.stringContaining('the jobs go on by themselves'),
      },
    ])
  })
})
