import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { FreshnessStatusType } from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import {
  day,
  flag,
  instant,
  integer,
  number,
  shownAs,
  shownFields,
  text,
  texts,
} from '../../schema-kit/shown-fields.js'
import { type Dataset, type DatasetDay, type DatasetFinding, type DatasetJob, LEDGER_DAYS } from './model.js'
import './incident-schema.js'
import { runDaysLoader } from './loaders.js'
import { DATASETS } from './registry-model.js'
import { listDatasets } from './service.js'

const DatasetRunStatusType = describedEnum('DatasetRunStatus', 'How a run ended.', {
  running: 'It has not ended yet.',
  succeeded: 'Its data are stored.',
  failed: 'None of its data are stored. The next run tries again.',
})

const DatasetRunType = builder.prismaObject('IngestRun', {
  variant: 'DatasetRun',
  select: {
    feed: true,
    provider: true,
    status: true,
    startedAt: true,
    finishedAt: true,
    added: true,
    revised: true,
    alsoChanged: true,
    rejected: true,
  },
  description: 'One run of a feed: a request to a provider, and what it changed in the dataset.',
  fields: (t) =>
    shownFields(t, {
      feed: text('Name of the feed, e.g. ecb-daily.'),
      source: text('Provider of the feed, e.g. ecb.', 'provider'),
      status: shownAs(DatasetRunStatusType)('How the run ended.'),
      started_at: instant('When the run started.', 'startedAt'),
      finished_at: instant.orNull('When the run ended. Null while it is running.', 'finishedAt'),
      rows_changed: t.int({
        description: 'Number of rows that the run added, revised or withdrew.',
        resolve: ({ added, revised, alsoChanged }) => added + revised + alsoChanged,
      }),
      rows_rejected: integer('Number of rows of the provider that the run refused.', 'rejected'),
    }),
})

const DayOutcomeType = describedEnum('DatasetDayOutcome', 'How the runs of a day ended.', {
  succeeded: 'All succeeded.',
  partly_failed: 'Some failed and some succeeded.',
  failed: 'All failed.',
})

const DatasetDayType = builder.objectRef<DatasetDay>('DatasetDay').implement({
  description: 'How the runs of the feeds of a dataset ended on a day.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      date: day('UTC day.'),
      outcome: shownAs(DayOutcomeType)('How the runs that began on the day ended.'),
    }),
})

const DatasetFindingType = builder.objectRef<DatasetFinding>('DatasetFinding').implement({
  description: 'A day for which two sources of a dataset state different figures. Both are stored.',
  fields: (t) =>
    shownFields(t, {
      subject: text('What the figures are of, e.g. AAPL (XNAS).'),
      date: day('Day of the figures.'),
      sources: texts('The source whose figure is served, then the other one.'),
      difference: number('Distance of the two figures as a fraction of the served one.'),
    }),
})

const DatasetJobType = builder.objectRef<DatasetJob>('DatasetJob').implement({
  description: 'Work that refreshes a dataset by itself.',
  fields: (t) =>
    shownFields(t, {
      job: text('Name of the job, e.g. alpaca-bars.'),
      next_run_at: instant.orNull('When it is due next. Null while it is off.', 'nextRunAt'),
      missing_key: text.orNull(
        'Setting with the key that the job needs and the operator has not set. Null for a job that has its key or needs none.',
        'missingKey',
      ),
    }),
})

/** A field of an upper domain may be added to it. */
export const DatasetType = builder.objectRef<Dataset>('Dataset').implement({
  description: 'A dataset: its age, its sources and its terms of use.',
  fields: (t) =>
    shownFields(t, {
      dataset: text('Name of the dataset, e.g. forex.'),
      title: text('What the dataset is called, e.g. Exchange rates.'),
      description: text('What the dataset has.'),
      published_rule: text.orNull(
        'When values count as published, for `basis=published`. Null for a dataset without a rule.',
        'publishedRule',
      ),
      version: integer('Increases by one with each change of the data. 0 while the dataset is empty.'),
      sources: texts(
        'Providers of the data, the provider of the newest fact first; `seed` means synthetic data. Empty while the dataset is empty.',
      ),
      freshness_status: shownAs(FreshnessStatusType).orNull(
        'fresh, stale or expired. Null while the dataset is empty.',
        'freshnessStatus',
      ),
      last_updated_at: instant.orNull(
        'When the newest fact was published or observed. Null while the dataset is empty.',
        'lastUpdatedAt',
      ),
      next_refresh_at: instant.orNull(
        'When newer facts are due: last_updated_at plus the refresh interval. If the interval depends on the tier of an asset, the shortest one counts. Null while the dataset is empty.',
        'nextRefreshAt',
      ),
      is_dev_dataset: flag.orNull(
        'Whether any of the data is synthetic. Null while the dataset is empty.',
        'isDevDataset',
      ),
      licence: text.orNull(
        'Licence of each source, joined by semicolons. Null when no source states a licence.',
      ),
      attribution: text.orNull(
        'Credit lines that the licences require, joined by semicolons. Null when no credit line is required.',
      ),
      licensed_for_commercial_use: flag.orNull(
        'Whether all sources allow commercial use. Null when a source does not say.',
        'licensedForCommercialUse',
      ),
      rows: shownAs('BigInt').orNull(
        'Number of stored rows, all versions of each fact. Counted once a day, so that it can be a day old. Null while the dataset is empty, and before the first count.',
      ),
      since: day.orNull(
        'First day that rows are about, UTC. Null where `rows` is null, and for rows that are about no day, such as identifiers.',
      ),
      counted_at: instant.orNull(
        'When `rows` and `since` were determined. Null where `rows` is null.',
        'countedAt',
      ),
      findings: shownAs([DatasetFindingType])(
        'Days of the last 90 for which the closes of two sources differ by more than 0.5 %, the newest 100. Found when the rows are counted. Empty for datasets other than prices.',
      ),
      findings_total: integer('Number of all findings.', 'findingsTotal'),
      jobs: shownAs([DatasetJobType])(
        'The jobs that refresh the dataset. Empty if it comes from files, from requests, or with another dataset.',
      ),
      days: t.field({
        type: [DatasetDayType],
        subGraphs: ['Graph'],
        description: `The days of the last ${LEDGER_DAYS} on which runs of its feeds ended, oldest first, in UTC. Nothing is recorded of other days.`,
        extensions: { reads: [] },
        resolve: async ({ dataset }, _args, context) => [
          ...((await runDaysLoader(context).load(dataset)) ?? []),
        ],
      }),
      last_runs: t.field({
        type: [DatasetRunType],
        description:
          'The newest run of each feed of the dataset, the newest first. Synthetic data come from a feed with the source `seed`. Empty before the first run.',
        resolve: ({ lastRuns }) => lastRuns,
      }),
    }),
})

interface DatasetList {
  readonly data: readonly Dataset[]
}

const DatasetListType = builder.objectRef<DatasetList>('DatasetList').implement({
  description: 'All datasets of the gateway.',
  fields: (t) => ({
    data: t.field({
      type: [DatasetType],
      description: 'One entry per dataset, including empty datasets.',
      resolve: ({ data }) => data,
    }),
    total: t.int({ description: 'Number of datasets.', resolve: ({ data }) => data.length }),
  }),
})

queryEndpoint('datasets', {
  summary: 'Datasets and their freshness',
  keywords: [
    'catalogue of data',
    'number of rows',
    'freshness',
    'last update',
    'how old is the data',
    'sources',
    'licence',
    'stale',
  ],
  description:
    'All datasets with their rows, sources, age, next refresh, terms of use and last runs. Needs no key and is free of charge.',
  access: 'open',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/datasets', tag: 'datasets', table: { rows: 'data', total: 'total' } },
  reads: DATASETS,
  type: DatasetListType,
  check: () => null,
  resolve: async (_nothing, context) => ({ data: await listDatasets(context) }),
})
