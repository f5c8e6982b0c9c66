import { openSanctionsEntities } from '../../providers/opensanctions/entities-json.js'
import { openSanctionsSecurities } from '../../providers/opensanctions/securities-csv.js'
import { findFeed } from '../../registry.js'
import { feedJob } from '../../schedule/feed-job.js'
import type { Job } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'

const JITTER_MS = 600_000

/** Creates the jobs for OpenSanctions, for operators whose use its terms (CC BY-NC 4.0, or a licence) allow. */
export function openSanctionsJobs(): readonly Job[] {
  return [
    feedJob(findFeed(openSanctionsEntities.id), byCron('40 5 * * *', JITTER_MS), null),
    feedJob(findFeed(openSanctionsSecurities.id), byCron('50 5 * * *', JITTER_MS), null),
  ]
}
