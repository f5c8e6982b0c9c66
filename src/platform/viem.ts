import type * as Viem from 'viem'
import type * as Actions from 'viem/actions'
import type * as Chains from 'viem/chains'

/** What the gateway uses of viem, made by scripts/bundled-modules.mjs from the package of that name. */
export type ViemModule = Pick<typeof Viem, 'createClient' | 'custom'> &
  Pick<
    typeof Actions,
    'getBalance' | 'getBlock' | 'getChainId' | 'getCode' | 'getTransactionCount' | 'readContract'
  > &
  Pick<typeof Chains, 'arbitrum' | 'base' | 'bsc' | 'mainnet' | 'optimism' | 'polygon'>

/** Read when a chain is asked for the first time, not at the start of the process. */
export async function loadViem(): Promise<ViemModule> {
  // The module has no types of its own.
  return (await import('../generated/viem/viem.js')) as unknown as ViemModule
}
