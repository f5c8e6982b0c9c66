import { Gauge, type Registry } from 'prom-client'
import type { CheckWorld } from '../checks/check.js'
import { CHECKS } from '../checks/checks.js'
import type { Finding } from '../checks/finding.js'
import { CoalescedRead } from '../platform/coalesced-read.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'

/** A scrape does not wait for an unreachable database. */
const READ_MS = 2_000

/** The same database for a scrape: its statements end in time. */
export function boundedForScrape(database: Database): Database {
  return {
    ...database,
    rows: (text, parameters) => database.rows(text, parameters, { withinMs: READ_MS }),
  }
}

/** Registers the gauges of the checks. All gauges of a check are set by one run of it, so every node reports the same. */
export function registerCheckGauges(
  metrics: Registry,
  { config, database, clock }: CheckWorld,
  log: Pick<Logger, 'warn'>,
): void {
  const world = { config, clock, database: boundedForScrape(database) }
  for (const check of CHECKS) {
    if (check.needs === 'configuration' || check.gauges === undefined) continue
    const read = new CoalescedRead(async (): Promise<readonly Finding[]> => {
      try {
        return await check.run(world)
      } catch (error) {
        log.warn({ err: error, check: check.name }, 'the state for the metrics could not be read')
        return []
      }
    })
    for (const { name, help, label, value } of check.gauges) {
      const [labelName, fact] = label
      new Gauge({
        ...{ name, help, labelNames: [labelName], registers: [metrics] },
        async collect() {
          const findings = await read.join()
          this.reset()
          for (const { facts } of findings) {
            const shown = facts === undefined ? null : value(facts, clock.now())
            if (shown !== null) this.set({ [labelName]: String(facts?.[fact]) }, shown)
          }
        },
      })
    }
  }
}
