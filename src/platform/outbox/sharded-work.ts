/** Work that several processes on a database share by shards. Its tables have the columns of `webhook_node` and `webhook_shard`. */
export interface ShardFacts {
  /** For the log and for errors. */
  readonly name: string
  readonly nodes: string
  readonly shards: string
  /** The variable that sets the number of shards. */
  readonly setting?: string
  /**
   * The leader lease under which a process of an earlier release does all of this work. The nodes with shards hold it
   * together, so they begin after that process has ended, and such a process begins after all of them have ended.
   */
  readonly formerLease?: string
}

/** The holder of a former lease while nodes with shards have it. No process has this id. */
export const ALL_NODES = '00000000-0000-0000-0000-000000000000'

/** No term of a former lease is as high, so a row that was opened under one is not taken for a row of a shard. */
export const FIRST_TERM = 2 ** 32

const isHeldByNodes = ({ formerLease }: ShardFacts) =>
  formerLease === undefined
    ? 'true'
    : `exists (select from schedule_lease where name = '${formerLease}' and holder = '${ALL_NODES}')`

/** SQL: the node has the shard whose row is `s`, and no process of an earlier release does the work. */
export function isNodeOfShard(work: ShardFacts, node: string): string {
  return `s.node = ${node} and ${isHeldByNodes(work)}`
}

/** SQL: the term is the current one of the shard, and no process of an earlier release does the work. */
export function isTermOfShard(work: ShardFacts, shard: string, term: string): string {
  return `exists (select from ${work.shards} as s where s.shard = ${shard} and s.term = ${term}) and ${isHeldByNodes(work)}`
}
