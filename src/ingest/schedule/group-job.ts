import { IngestError } from '../feed.js'
import { EVERYTHING, type FeedGroup, type GroupJob, type GroupSettings } from '../feed-group.js'
import { transportsWith } from '../run/ask-for-body.js'
import type { Job } from './job.js'

interface GroupJobOptions {
  readonly settings: GroupSettings
  /** The job that creates the assets; null if none is scheduled. */
  readonly masters: string | null
}

/** The job of a group, with its name. It fails if nothing could be read. */
export function groupJob(
  { name, keyVariable, run }: FeedGroup,
  { dataset, cadence, schedule, optIn, feeds = [name], needsAssets = false, describeProgress }: GroupJob,
  { settings, masters }: GroupJobOptions,
): Job {
  return {
    name,
    dataset,
    cadence,
    optIn,
    schedule,
    keyVariable,
    feeds,
    needs: (needsAssets ? masters : null) ?? undefined,
    run: async (context) => {
      const deps = { ...context, ...transportsWith(context.http), settings }
      const { counts, note, isPartial, failure } = await run(deps, EVERYTHING)
      if (failure !== undefined) throw new IngestError(failure)
      const progress = (await describeProgress?.(context.database)) ?? null
      const notes = [note, progress].filter((text) => text !== null)
      return {
        counts,
        note: notes.length === 0 ? null : notes.join('; '),
        ...(isPartial === undefined ? {} : { isPartial }),
        unfinished: null,
      }
    },
  }
}
