import { type FeedGroup, feedGroup } from '../../feed-group.js'
import { openSanctionsEntities } from '../../providers/opensanctions/entities-json.js'
import { openSanctionsSecurities } from '../../providers/opensanctions/securities-csv.js'
import { findFeed } from '../../registry.js'
import { byCron, type Schedule } from '../../schedule.js'

const JITTER_MS = 600_000

function licensedGroup(id: string, schedule: Schedule): FeedGroup {
  return feedGroup(findFeed(id), { schedule, optIn: 'opensanctions' })
}

/** OpenSanctions, for operators whose use its terms (CC BY-NC 4.0, or a licence) allow. */
export const openSanctionsGroups: readonly FeedGroup[] = [
  licensedGroup(openSanctionsEntities.id, byCron('40 5 * * *', JITTER_MS)),
  licensedGroup(openSanctionsSecurities.id, byCron('50 5 * * *', JITTER_MS)),
]
