import type { RpcUrls } from '../../../core/rpc-urls.js'
import { createChainReader, RETRYING } from '../../chains/ask-addresses.js'
import { type Job, jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runAddressSnapshots } from './run-address-snapshots.js'

const JITTER_MS = 600_000

/** Takes the daily snapshot of each labelled address, at the configured nodes of its chain. */
export function addressSnapshotJob(rpcUrls: RpcUrls, etherscanKey: string | null): Job {
  return {
    name: 'address-snapshots',
    dataset: 'onchain',
    cadence: 'every day, where RPC_URLS_<chain_id> are set',
    schedule: byCron('20 0 * * *', JITTER_MS),
    feeds: ['address-snapshots'],
    run: async (context) => {
      const { http, log } = context
      const chainReader = createChainReader({
        http,
        log,
        rpcUrls,
        etherscanKey,
        ...RETRYING,
      })
      const summary = await runAddressSnapshots({ ...context, chainReader })
      const out = summary.rejections.map(({ position }) => `${position} did not answer`)
      return { counts: jobCounts(summary), note: out.length === 0 ? null : out.join('; '), unfinished: null }
    },
  }
}
