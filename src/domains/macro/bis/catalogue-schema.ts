import { fullTextOf } from '../../../core/providers.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { edge, hints, type Types } from '../../../schema-kit/fields.js'
import { offsetPageArguments } from '../../../schema-kit/shared-arguments.js'
import { shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { defineCatalogue } from '../catalogue-schema.js'
import { seriesListLoader } from '../loaders.js'
import {
  parseSeriesListQuery,
  type SeriesListArguments,
  type SeriesListQuery,
} from '../series/series-query.js'
import { MacroSeriesType } from '../series/series-schema.js'
import { type BisCountry, bisCatalogue } from './catalogue.js'
import { BIS, BIS_DATASETS, type BisDataset } from './datasets-model.js'

const BisFrequencyType = describedEnum('BISFrequency', 'Length of the periods of a BIS dataset.', {
  quarterly: 'Quarters.',
  annual: 'Years.',
})

const datasetFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, BisDataset>) =>
  shownFields(t, {
    code: text("The BIS's code of the dataflow."),
    name: text('Name of the dataset.'),
    frequency: shownAs(BisFrequencyType)('Frequency of the series of series_key_pattern.'),
    unit: text('Unit of the series of series_key_pattern: %_GDP, USD_B (billions), INDEX_2010=100.'),
    description: text(
      'What the dataset measures, which other keys exist, and how quarters are computed from months.',
    ),
    series_key_pattern: text(
      'Key of the main series of a country. Replace {CC} with the country code.',
      'seriesKeyPattern',
    ),
    series: t.field({
      type: [MacroSeriesType],
      nullable: true,
      description: 'A page of the series of the dataset, sorted by key. Charged per 20 parents.',
      args: {
        country: t.arg.string({
          description: 'Only series of this country or group of countries.',
          ...hints({ example: 'US', maxLength: 2 }),
        }),
        ...offsetPageArguments(t.arg),
      },
      ...edge(
        'macro:read',
        ['bis'],
        async ({ code }: BisDataset, query: SeriesListQuery, context) =>
          (await seriesListLoader(context).load({ ...query, provider: 'bis', dataset: code })) ?? [],
        { check: (args: SeriesListArguments) => parseSeriesListQuery(args) },
      ),
    }),
  })

builder.prismaObjectField(MacroSeriesType, 'dataset_name', (t) =>
  t.string({
    nullable: true,
    description: 'Name of the dataset. Null for publishers other than the BIS.',
    resolve: ({ provider, dataset }) =>
      provider === BIS.id ? (BIS_DATASETS.find(({ code }) => code === dataset)?.name ?? null) : null,
  }),
)

const BisDatasetType = builder.objectRef<BisDataset>('BISDatasetEntry').implement({
  description: 'A dataset of the Bank for International Settlements.',
  fields: datasetFields,
})

export const BisDatasetMetaType = builder.objectRef<BisDataset>('BISDatasetMeta').implement({
  description: 'The dataset of a series of the Bank for International Settlements, as in the catalogue.',
  fields: datasetFields,
})

export const BisCountryType = builder.objectRef<BisCountry>('BISCountryEntry').implement({
  description: 'A country or group of countries with series of the BIS.',
  fields: (t) =>
    shownFields(t, {
      code: text('Code: ISO 3166-1, or a code of the BIS for a group (XM, 5R).'),
      name: text('English name.'),
      series_keys: t.field({
        type: 'JSONObject',
        description: 'Keys of its main series, by code of the dataset.',
        resolve: ({ series }) =>
          Object.fromEntries(series.map(({ dataset, seriesKey }) => [dataset, seriesKey])),
      }),
      series: t.field({
        type: [MacroSeriesType],
        subGraphs: ['Graph'],
        description: 'Its main series in every dataset that has one.',
        resolve: ({ series }) => [...series],
      }),
    }),
})

defineCatalogue(BIS, {
  name: 'datasets',
  typeName: 'BISDatasetsResponse',
  entry: BisDatasetType,
  what: 'datasets of the BIS that have data',
  summary: 'Datasets of the BIS',
  description: `The datasets of ${fullTextOf(BIS)} that have data, with unit, frequency and the key of the main series of a country.`,
  path: 'datasets',
  list: async (context) => (await bisCatalogue(context)).datasets,
})

defineCatalogue(BIS, {
  name: 'countries',
  typeName: 'BISCountriesResponse',
  entry: BisCountryType,
  what: 'countries and groups of countries that have series of the BIS',
  summary: 'Countries with series of the BIS',
  description: 'Countries and groups of countries, with the key of their main series in each dataset.',
  path: 'countries',
  list: async (context) => (await bisCatalogue(context)).countries,
})
