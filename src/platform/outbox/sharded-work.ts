/** Work that several processes on a database share by shards. Its tables have the columns of `webhook_node` and `webhook_shard`. */
export interface ShardFacts {
  /** For the log and for errors. */
  readonly name: string
  readonly nodes: string
  readonly shards: string
}

/** SQL: the term is the current one of the shard. */
export function isTermOfShard({ shards }: ShardFacts, shard: string, term: string): string {
  return `exists (select from ${shards} as s where s.shard = ${shard} and s.term = ${term})`
}
