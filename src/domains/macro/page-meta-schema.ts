import { type DatasetState, newestOfGrains } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { DataQualityType } from '../../schema-kit/api-meta.js'
import { datasetStateOf } from '../../schema-kit/envelope.js'
import type { Types } from '../../schema-kit/fields.js'
import type { MacroProvider } from './model.js'
import { type SeriesGroup, seriesGrains } from './series-grains-model.js'
import type { summarizePage } from './series-query.js'
import { MACRO_DISCLAIMER, MACRO_DISCLAIMER_FR } from './terms.js'

/** Metadata of a page of any series. */
interface PageMeta extends ReturnType<typeof summarizePage> {
  readonly source: string
  readonly license: string
  readonly is_dev_dataset: boolean
}

/** The state of a publisher's data, with the age of the series of one of its datasets. A 503 without any series. */
export function seriesStateOf(group: SeriesGroup, context: RequestContext): DatasetState {
  return newestOfGrains(datasetStateOf(context, group.provider), seriesGrains(group))
}

type MetaFields<Meta extends PageMeta> = PothosSchemaTypes.ObjectFieldBuilder<Types, Meta>

/** Size of the page and of the range. */
export const pageFields = <Meta extends PageMeta>(t: MetaFields<Meta>) => ({
  total: t.int({
    description: 'Number of observations in the range, on all pages.',
    resolve: ({ total }) => total,
  }),
  returned: t.int({
    description: 'Number of observations on this page.',
    resolve: ({ returned }) => returned,
  }),
  has_next: t.boolean({
    description: 'True if a further page exists.',
    resolve: ({ has_next: hasNext }) => hasNext,
  }),
  page: t.int({ description: 'Requested page, counted from 1.', resolve: ({ page }) => page }),
  limit: t.int({ description: 'Rows per page.', resolve: ({ limit }) => limit }),
})

/** Provider of the data, and terms of use. */
export const termFields = <Meta extends PageMeta>(t: MetaFields<Meta>, provider: MacroProvider) => ({
  source: t.string({
    description: `Provider of the data: ${provider}, or seed for synthetic data.`,
    resolve: ({ source }) => source,
  }),
  license: t.string({
    description: 'Terms of use of the data.',
    resolve: ({ license }) => license,
  }),
  disclaimer: t.string({
    description: 'The disclaimer. This English text is binding.',
    resolve: () => MACRO_DISCLAIMER,
  }),
  disclaimer_fr: t.string({
    description: 'Unofficial French translation of the disclaimer.',
    resolve: () => MACRO_DISCLAIMER_FR,
  }),
})

/** Whether the page is complete, and whether it is synthetic. */
export const qualityFields = <Meta extends PageMeta>(t: MetaFields<Meta>) => ({
  data_quality: t.field({
    type: DataQualityType,
    nullable: true,
    description: 'full, or partial if a value on the page is null. Null for an empty page.',
    resolve: ({ data_quality: quality }) => quality,
  }),
  is_dev_dataset: t.boolean({
    description: 'True for synthetic seed data, false for live data.',
    resolve: ({ is_dev_dataset: isDev }) => isDev,
  }),
})
