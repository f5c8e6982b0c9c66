import type { Database } from '../../../src/platform/database/database.js'
import type { ShardLeases } from '../../../src/platform/outbox/shard-leases.js'
import type { ShardFacts } from '../../../src/platform/outbox/sharded-work.js'

/** The id of the node that has all shards under that term. */
export const nodeOfTerm = (term: number) => `00000000-0000-4000-8000-${String(term).padStart(12, '0')}`

/** Stores that one node has all shards of the work under that term. */
export async function storeHeldShards(
  database: Database,
  { nodes, shards: table }: ShardFacts,
  shards: number,
  term: number,
): Promise<void> {
  const node = nodeOfTerm(term)
  await database.script(
    `delete from ${nodes};
     delete from ${table};
     insert into ${nodes} (node, name, expires_at) values ('${node}', 'test:${term}', 'infinity');
     insert into ${table} (shard, shards, node, term, expires_at)
     select shard, ${shards}, '${node}', ${term}, 'infinity' from generate_series(0, ${shards - 1}) as shard`,
  )
}

/** The leases of the node that believes to have all shards under that term. */
export function heldShards(shards: number, term: number, onUsable: () => void = () => {}): ShardLeases {
  const usable = () => {
    onUsable()
    return Array.from({ length: shards }, (_, shard) => ({ shard, term }))
  }
  const { signal } = new AbortController()
  return {
    node: nodeOfTerm(term),
    shards,
    usable,
    termOf: () => term,
    acquire: (shard) => ({
      ...{ shard, term, signal },
      isValid: () => true,
      mayWrite: () => true,
      fence: async () => {},
      release: () => {},
    }),
    partOf: (total) => total,
    onChange: () => {},
    stop: async () => {},
  }
}
