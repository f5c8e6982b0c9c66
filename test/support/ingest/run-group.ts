import { expect } from 'vitest'
import { operatorFiles } from '../../../src/ingest/datasets/operator-files.js'
import {
  EVERYTHING,
  type FeedGroup,
  type GroupDeps,
  type GroupSettings,
  NO_SETTINGS,
  type Selection,
} from '../../../src/ingest/feed-group.js'
import { createJobs } from '../../../src/ingest/jobs.js'
import type { BodySource } from '../../../src/ingest/run/feed-body.js'
import type { IngestDeps } from '../../../src/ingest/run/run.js'
import type { RunSummary } from '../../../src/ingest/run/run-feed.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import { createLogger } from '../../../src/platform/logger.js'

/** What a group gets that a test does not care about: no setting, and transports that fail the test. */
const NOTHING: Omit<GroupDeps, keyof IngestDeps> & Pick<GroupDeps, 'log'> = {
  log: createLogger('silent'),
  fetchBody: () => expect.fail('nothing is fetched'),
  downloadBody: () => expect.fail('nothing is downloaded'),
  http: {
    request: () => expect.fail('nothing is requested'),
    download: () => expect.fail('nothing is downloaded'),
  },
  settings: NO_SETTINGS,
}

export type TestGroupDeps = Pick<IngestDeps, 'database' | 'clock'> &
  Partial<Pick<GroupDeps, 'fetchBody' | 'downloadBody' | 'http' | 'signal'>> & {
    readonly settings?: Partial<GroupSettings>
  }

/** Runs a group, and returns the summary that its command prints. */
export async function runGroup<Summary>(
  group: FeedGroup<Summary>,
  { settings, ...deps }: TestGroupDeps,
  selection: Partial<Selection> = {},
): Promise<Summary> {
  const given = { ...NOTHING, ...deps, log: NOTHING.log, settings: { ...NO_SETTINGS, ...settings } }
  return (await group.run(given, { ...EVERYTHING, ...selection })).summary
}

/** Reads one of the operator's tables. */
export function runOperatorFile(name: string, deps: TestGroupDeps, source: BodySource): Promise<RunSummary> {
  const file = operatorFiles.find((group) => group.name === name) ?? expect.fail(`no file ${name}`)
  return runGroup(file, deps, { source })
}

/** The job of that name under these settings. */
export function jobOf(name: string, settings: Partial<GroupSettings>): Job {
  return createJobs(settings).find((job) => job.name === name) ?? expect.fail(`no job ${name}`)
}
