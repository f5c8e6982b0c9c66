import { loadRestingProviders } from '../../platform/http-client/request-turns.js'
import type { CheckWorld } from '../check.js'
import { type Finding, noRequestsText, warning } from '../finding.js'

const ADVICE =
  'wait, the jobs go on by themselves; if it happens often, look for another program that asks the provider from the same address'

/** Names each provider that gets no requests, because it blocks the address of the installation or asked for a pause. */
export async function checkResting({ database }: CheckWorld): Promise<readonly Finding[]> {
  const resting = await loadRestingProviders(database)
  return resting.map(({ provider, until, cause }) => ({
    ...warning(`provider ${provider}`, noRequestsText(until, cause), ADVICE),
    facts: { provider, rest_until: until, rest_cause: cause },
  }))
}
