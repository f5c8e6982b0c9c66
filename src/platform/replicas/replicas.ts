import { openPostgresReads } from '../database/postgres/postgres-reads.js'
import type { DataPart } from '../database/versions/data-parts.js'
import type { DatasetStates } from '../database/versions/data-version.js'
import type { Logger } from '../logger.js'
import { REPLICA_LIMITS, Replica } from './replica.js'

export interface ReplicasOptions {
  readonly urls: readonly string[]
  /** Connections to each. */
  readonly poolSize: number
  readonly isPreparing: boolean
  readonly log: Logger
  readonly counts: ReadCounts
}

/** A replica that can be read now, and the key for `Replica.confirms`. */
export interface ChosenReplica {
  readonly replica: Replica
  readonly identity: object
}

/** Counts runs of operations that only read datasets. */
export interface ReadCounts {
  /** All rows came from the primary. */
  onPrimary(): void
  /** All rows came from this replica. */
  onReplica(name: string): void
  /** Started on this replica, then repeated. */
  givenUp(name: string): void
}

/** The streaming replicas of the primary, read in rotation. */
export class Replicas {
  readonly all: readonly Replica[]
  readonly counts: ReadCounts
  #turn = 0

  constructor(all: readonly Replica[], counts: ReadCounts) {
    this.all = all
    this.counts = counts
  }

  /** The next replica that has exactly these states of what is read; null if none has. */
  choose(reads: readonly DataPart[], datasets: DatasetStates): ChosenReplica | null {
    this.#turn = (this.#turn + 1) % this.all.length
    const inTurn = [...this.all.slice(this.#turn), ...this.all.slice(0, this.#turn)]
    for (const replica of inTurn) {
      const identity = replica.identityFor(reads, datasets)
      if (identity !== null) return { replica, identity }
    }
    return null
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()))
  }
}

/** Starts a check of each replica without waiting; an unreachable one is excluded until it answers. */
export function openReplicas({ urls, poolSize, isPreparing, log, counts }: ReplicasOptions): Replicas {
  const onChange = ({ name }: Replica, reason: unknown) => {
    if (reason === null) log.info({ replica: name }, 'replica is used again')
    else log.warn({ replica: name, err: reason }, 'replica is excluded')
  }
  const all = urls.map((url, at) => {
    const server = openPostgresReads(
      { url, poolSize, isPreparing },
      // An idle connection broke: the server may be down.
      { limits: REPLICA_LIMITS, onError: (error) => replica.leaveOut(error) },
    )
    const replica = new Replica(String(at + 1), server, onChange)
    return replica
  })
  for (const replica of all) void replica.check()
  return new Replicas(all, counts)
}
