import { systemClock } from '../../../src/core/time.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Charge, Counters } from '../../../src/platform/quota/counters.js'
import { createCounters } from '../../../src/platform/quota/create-counters.js'
import {
  availableDatabases,
  availableRedis,
  openTestDatabase,
  quickestDatabase,
} from '../database/database.js'

/** Where the units are kept; `open` gives one node on the flavour's shared store. */
export interface CounterFlavour {
  readonly name: 'memory' | 'postgres' | 'redis'
  readonly database: Database
  open(): Counters
  close(): Promise<void>
}

/** The flavours that this machine can test. */
export function flavourNames(): readonly CounterFlavour['name'][] {
  const names: CounterFlavour['name'][] = ['memory']
  if (availableDatabases().includes('postgres')) names.push('postgres')
  if (availableRedis() !== null) names.push('redis')
  return names
}

/** Those whose store several nodes share. */
export function sharedFlavourNames(): readonly CounterFlavour['name'][] {
  return flavourNames().filter((name) => name !== 'memory')
}

/** The kind by which the flavour is chosen; null: counters in Redis never use the database. */
const DATABASE_OF = { memory: 'pglite', postgres: 'postgres', redis: null } as const

export async function openFlavour(name: CounterFlavour['name']): Promise<CounterFlavour> {
  const database = await openTestDatabase(DATABASE_OF[name] ?? quickestDatabase(), 'empty')
  const redisUrl = name === 'redis' ? availableRedis() : null
  const log = createLogger('silent')
  return {
    name,
    database,
    open: () => createCounters({ database, redisUrl, clock: systemClock, log }),
    close: () => database.close(),
  }
}

let named = 0

/** A counter that no other test and no other run touches. */
export function newKey(): string {
  named += 1
  return `test:${process.pid}:${Date.now().toString(36)}:${named}`
}

const HOUR_MS = 3_600_000

/** Counters that are charged in one call have one owner. */
export function charge(key: string, quota: number, units = 1, owner = 'test'): Charge {
  return { key, owner, quota, units, windowEnd: new Date(Date.now() + HOUR_MS) }
}
