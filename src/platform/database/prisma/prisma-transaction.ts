import { AsyncLocalStorage } from 'node:async_hooks'
import type { SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils'
import type { PrismaClient } from '../../../generated/prisma/client.js'
import type { PrismaModels } from './prisma-models.js'

/** The longest time of a timer. Prisma's own limit must not end a running transaction. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** The connection that a transaction started in this context joins. */
const connectionToJoin = new AsyncLocalStorage<SqlDriverAdapterFactory | undefined>()

/**
 * Number of transactions that are about to join. Before version 24, Node.js calls a hook for each promise of the process while
 * a storage is enabled, so it is disabled when nothing is about to join.
 */
let joining = 0

function endJoining(): void {
  joining -= 1
  if (joining === 0) connectionToJoin.disable()
}

/**
 * Prisma's client on a connection whose transaction the caller starts and ends; Prisma's COMMIT and ROLLBACK send nothing.
 * It joins at the first call, because joining costs as much CPU time as a short transaction. The client's adapter must come
 * from `countedAdapter`.
 */
export class PrismaOnConnection {
  readonly #prisma: PrismaClient
  readonly #connection: SqlDriverAdapterFactory
  #joined: Promise<PrismaModels> | null = null
  #leave: () => Promise<void> = async () => {}

  constructor(prisma: PrismaClient, connection: SqlDriverAdapterFactory) {
    this.#prisma = prisma
    this.#connection = connection
  }

  join(): Promise<PrismaModels> {
    this.#joined ??= this.#begin()
    return this.#joined
  }

  /** Call it once before the transaction ends. */
  leave(): Promise<void> {
    return this.#leave()
  }

  #begin(): Promise<PrismaModels> {
    joining += 1
    const joined = new Promise<PrismaModels>((resolve, reject) => {
      let end = () => {}
      const ended = new Promise<void>((resolveEnd) => {
        end = resolveEnd
      })
      const whole = connectionToJoin.run(this.#connection, () =>
        this.#prisma.$transaction(
          (client) => {
            resolve(client)
            return ended
          },
          { timeout: NO_LIMIT_MS },
        ),
      )
      whole.catch(reject)
      this.#leave = async () => {
        end()
        await whole.catch(() => {}) // it has failed a call already
      }
    })
    joined.then(endJoining, endJoining)
    return joined
  }
}

/** The connection of a `PrismaOnConnection` as a transaction for Prisma's client; null without a connection to join. */
export async function joinedTransaction(): Promise<Transaction | null> {
  const factory = connectionToJoin.getStore()
  if (factory === undefined) return null
  const connection = await factory.connect()
  return {
    provider: connection.provider,
    adapterName: connection.adapterName,
    options: { usePhantomQuery: true }, // Prisma sends neither COMMIT nor ROLLBACK
    queryRaw: (query) => connection.queryRaw(query),
    executeRaw: (query) => connection.executeRaw(query),
    commit: async () => {},
    rollback: async () => {},
  }
}
