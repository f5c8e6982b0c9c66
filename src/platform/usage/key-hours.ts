import { HOUR_MS, startOfHour } from '../../core/time.js'
import type { PrismaModels } from '../database/prisma/prisma-models.js'
import { IF_NEWER } from '../quota/numbered-writes.js'

/** Units of a key in one clock hour (UTC); negative where more was given back than charged. */
export interface KeyHour {
  readonly keyId: string
  readonly hour: Date
  units: number
}

/** Units of each key and hour since the last write, in memory. */
export class KeyHours {
  #hours = new Map<string, KeyHour>()

  add({ keyId, hour, units }: KeyHour): void {
    const name = `${keyId} ${hour.getTime()}`
    const known = this.#hours.get(name)
    if (known === undefined) this.#hours.set(name, { keyId, hour, units })
    else known.units += units
  }

  /** Returns the units added so far and clears them. */
  drain(): readonly KeyHour[] {
    const drained = [...this.#hours.values()].filter(({ units }) => units !== 0)
    this.#hours = new Map()
    return drained
  }
}

/** Nodes that write at once lock the rows in the same order. */
export const ADD_KEY_HOURS = `${IF_NEWER}
  insert into usage_hour (key_id, hour, units)
  select key_id, hour, greatest(0, units) from unnest($4::uuid[], $5::timestamptz[], $6::bigint[]) as n(key_id, hour, units)
  where exists (select from newer)
  order by key_id, hour
  on conflict (key_id, hour) do update set units = greatest(0, usage_hour.units + (
    select n.units from unnest($4::uuid[], $5::timestamptz[], $6::bigint[]) as n(key_id, hour, units)
    where n.key_id = usage_hour.key_id and n.hour = usage_hour.hour))`

export function columnsOfHours(hours: readonly KeyHour[]): readonly unknown[] {
  return [hours.map(({ keyId }) => keyId), hours.map(({ hour }) => hour), hours.map(({ units }) => units)]
}

/** Units that a key has used in the clock hour of an instant, as written so far. */
export async function loadKeyHour(prisma: PrismaModels, keyId: string, at: Date): Promise<number> {
  const row = await prisma.usageHour.findUnique({
    where: { keyId_hour: { keyId, hour: startOfHour(at) } },
    select: { units: true },
  })
  return Number(row?.units ?? 0)
}

/** Deletes hours that no answer shows any more. */
export async function deleteOldKeyHours(prisma: PrismaModels, now: Date): Promise<void> {
  await prisma.usageHour.deleteMany({ where: { hour: { lt: new Date(now.getTime() - HOUR_MS) } } })
}
