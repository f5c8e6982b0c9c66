import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { FreshnessStatusType } from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import { flag, instant, integer, shownAs, shownFields, text, texts } from '../../schema-kit/shown-fields.js'
import type { Dataset } from './model.js'
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

const DatasetType = builder.objectRef<Dataset>('Dataset').implement({
  description: 'A dataset: its age, its sources and its terms of use.',
  fields: (t) =>
    shownFields(t, {
      dataset: text('Name of the dataset, e.g. forex.'),
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
  description:
    'All datasets with version, sources, age, next refresh, terms of use and last runs. Needs no key and is free of charge.',
  access: 'open',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/datasets', tag: 'datasets', table: { rows: 'data', total: 'total' } },
  reads: DATASETS,
  type: DatasetListType,
  check: () => null,
  resolve: async (_nothing, context) => ({ data: await listDatasets(context) }),
})
