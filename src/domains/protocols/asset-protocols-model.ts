import PROTOCOLS from './asset-protocols.json' with { type: 'json' }

/**
 * By slug of the asset, the protocols and chains whose fees count for it. The table is maintained by hand, because a token and
 * a protocol with the same name may be unrelated. Each version of a protocol is a separate entry.
 */
export const ASSET_PROTOCOLS: Readonly<Record<string, readonly string[]>> = PROTOCOLS
