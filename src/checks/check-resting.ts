import { loadRestingProviders } from '../platform/http-client/request-turns.js'
import type { CheckWorld } from './check.js'
import { type Finding, warning } from './finding.js'

const ADVICE =
  'wait, the jobs go on by themselves; if it happens often, look for another program that asks the provider from the same address'

/** Names each provider that gets no requests, because it blocks the address of the installation or asked for a pause. */
export async function checkResting({ database }: CheckWorld): Promise<readonly Finding[]> {
  const resting = await loadRestingProviders(database)
  return resting.map(({ provider, until, cause }) => ({
    ...warning(`provider ${provider}`, `gets no requests before ${until.toISOString()}: ${cause}`, ADVICE),
    facts: { provider, rest_until: until, rest_cause: cause },
  }))
}
