import type { RpcUrls } from '../../../core/rpc-urls.js'
import { type Job, jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runTokenSupplies } from './run-token-supplies.js'

const JITTER_MS = 60_000

/** Reads the supplies of tokens at the configured nodes of their chains. */
export function tokenSupplyJob(rpcUrls: RpcUrls, masters: string | null): Job {
  return {
    name: 'supply-tokens',
    dataset: 'supply',
    cadence: 'every 6 hours, where RPC_URLS_<chain_id> are set',
    schedule: byCron('40 */6 * * *', JITTER_MS),
    feeds: ['supply-tokens'],
    ...(masters === null ? {} : { needs: masters }),
    run: async (context) => {
      const summary = await runTokenSupplies({ ...context, rpcUrls })
      const leftOut = summary.chainsLeftOut.map((chainId) => `RPC_URLS_${chainId} is not set`)
      return {
        counts: jobCounts(summary),
        note: leftOut.length === 0 ? null : leftOut.join('; '),
        unfinished: null,
      }
    },
  }
}
