import { DAY_MS } from '../../../src/core/time.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { type DatabaseKind, SEEDED_AT } from '../../support/database/database.js'
import { addLaterFacts } from './later-facts.js'

/** A gateway that knows what is known now, and one at the same time of day that never learned the later facts. */
export interface TwoWorlds {
  readonly later: ClockedApp
  readonly earlier: ClockedApp
  close(): Promise<void>
}

export interface ClockedApp {
  readonly app: TestApp
  /** A key without a clock. */
  readonly key: string
  /** Keys with a clock, by the name of their instant. */
  readonly past: Readonly<Record<string, string>>
}

/** When the later facts are learned. */
export const LEARNED_AT = new Date(SEEDED_AT.getTime() + DAY_MS)

/** Instants of the keys: after all of the seeded world, and before the newest of it. */
export const INSTANTS = {
  seeded: new Date(SEEDED_AT.getTime() + 3_600_000),
  october: new Date('2026-10-05T12:00:00Z'),
}

export async function startTwoWorlds(
  kind: DatabaseKind,
  env: Readonly<Record<string, string>> = {},
): Promise<TwoWorlds> {
  const start = async (isLater: boolean): Promise<ClockedApp> => {
    const app = await startTestApp(kind, { env: { BURST_PER_MINUTE: '10000000', ...env } })
    if (isLater) await addLaterFacts(app.database, LEARNED_AT)
    app.clock.advance(3 * DAY_MS)
    const account = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'maker' })
    await setContract(app.access, account.account_id, { hour: 100_000_000, month: 1_000_000_000 })
    const past: Record<string, string> = {}
    for (const [name, instant] of Object.entries(INSTANTS)) {
      const made = await app.rest<{ raw_key: string }>('/auth/keys', {
        method: 'POST',
        key: account.raw_key,
        body: { label: name, clock: { as_of: instant.toISOString() } },
      })
      past[name] = made.body.raw_key
    }
    return { app, key: account.raw_key, past }
  }
  const later = await start(true)
  const earlier = await start(false)
  return {
    later,
    earlier,
    close: async () => {
      await later.app.close()
      await earlier.app.close()
    },
  }
}
