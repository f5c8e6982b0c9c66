/** 2^32 divided by the golden ratio: spreads ids that follow each other (Knuth, The Art of Computer Programming, 6.4). */
const MULTIPLIER = 2_654_435_761
const RANGE = 2 ** 32

/** The shard of an id, from 0 to `shards` - 1; the same on every node. */
export function shardOf(id: number, shards: number): number {
  const hash = Math.imul(id, MULTIPLIER) >>> 0
  return Math.floor((hash / RANGE) * shards)
}

/** The shard of a name, from 0 to `shards` - 1; the same on every node. The hash is FNV-1a with 32 bits. */
export function shardOfText(text: string, shards: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return shardOf(hash, shards)
}
