import { builder } from '../../schema-kit/builder.js'
import { FreshnessStatusType } from '../../schema-kit/envelope.js'
import { queryEndpoint } from '../../schema-kit/fields.js'
import type { Dataset } from './model.js'
import { DATASETS } from './registry-model.js'
import { listDatasets } from './service.js'

const DatasetType = builder.objectRef<Dataset>('Dataset').implement({
  description: 'A dataset: how new it is, where it comes from and on what terms it may be used.',
  fields: (t) => ({
    dataset: t.exposeString('dataset', { description: 'Name of the dataset, e.g. forex.' }),
    version: t.exposeInt('version', {
      description: 'Rises by one with each change of the data. 0 while the dataset is empty.',
    }),
    sources: t.exposeStringList('sources', {
      description:
        'Providers of the data, the one with the newest fact first; `seed` is synthetic. Empty while the dataset is.',
    }),
    freshness_status: t.expose('freshnessStatus', {
      type: FreshnessStatusType,
      nullable: true,
      description: 'fresh, stale or expired. Null while the dataset is empty.',
    }),
    last_updated_at: t.expose('lastUpdatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the newest fact was published or observed. Null while the dataset is empty.',
    }),
    next_refresh_at: t.expose('nextRefreshAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When newer facts are due: last_updated_at plus the refresh interval; where that goes by tier, the one of the best tier. Null while the dataset is empty.',
    }),
    is_dev_dataset: t.exposeBoolean('isDevDataset', {
      nullable: true,
      description: 'Whether any of the data is synthetic. Null while the dataset is empty.',
    }),
    licence: t.exposeString('licence', {
      nullable: true,
      description: 'Licence of each source, joined by semicolons. Null where none is stated.',
    }),
    attribution: t.exposeString('attribution', {
      nullable: true,
      description: 'Credit lines that the licences ask for, joined by semicolons. Null where there is none.',
    }),
    licensed_for_commercial_use: t.exposeBoolean('licensedForCommercialUse', {
      nullable: true,
      description: 'Whether all sources allow commercial use. Null where one does not say.',
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
      description: 'One entry per dataset, empty ones included.',
      resolve: ({ data }) => data,
    }),
    total: t.int({ description: 'Number of datasets.', resolve: ({ data }) => data.length }),
  }),
})

queryEndpoint('datasets', {
  summary: 'Datasets and how fresh they are',
  description:
    'Every dataset with its version, sources, age, next refresh and terms of use. Open to everybody and free of charge.',
  access: 'open',
  cost: 'free',
  rest: { method: 'GET', path: '/v1/datasets', tag: 'datasets', table: { rows: 'data', total: 'total' } },
  reads: DATASETS,
  type: DatasetListType,
  check: () => null,
  resolve: async (_nothing, context) => ({ data: await listDatasets(context) }),
})
