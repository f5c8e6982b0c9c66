import { DataQualityType } from '../../schema-kit/api-meta.js'
import type { Types } from '../../schema-kit/fields.js'
import type { MacroProvider } from './model.js'
import type { pageFacts } from './series-query.js'
import { MACRO_DISCLAIMER, MACRO_DISCLAIMER_FR } from './terms.js'

/** What is known about a page of any series. */
interface PageMeta extends ReturnType<typeof pageFacts> {
  readonly source: string
  readonly license: string
  readonly is_dev_dataset: boolean
}

type MetaFields<Meta extends PageMeta> = PothosSchemaTypes.ObjectFieldBuilder<Types, Meta>

/** How large the page is, and what is behind it. */
export const pageFields = <Meta extends PageMeta>(t: MetaFields<Meta>) => ({
  total: t.int({ description: 'Observations in the range, on all pages.', resolve: ({ total }) => total }),
  returned: t.int({ description: 'Observations on this page.', resolve: ({ returned }) => returned }),
  has_next: t.boolean({
    description: 'True when a further page exists.',
    resolve: ({ has_next: hasNext }) => hasNext,
  }),
  page: t.int({ description: 'The page asked for, counted from 1.', resolve: ({ page }) => page }),
  limit: t.int({ description: 'Rows per page.', resolve: ({ limit }) => limit }),
})

/** Whose data it is, and on what terms. */
export const termFields = <Meta extends PageMeta>(t: MetaFields<Meta>, provider: MacroProvider) => ({
  source: t.string({
    description: `Provider of the data: ${provider}, or seed for synthetic ones.`,
    resolve: ({ source }) => source,
  }),
  license: t.string({
    description: 'On what terms the data may be used.',
    resolve: ({ license }) => license,
  }),
  disclaimer: t.string({ description: 'What the data are not.', resolve: () => MACRO_DISCLAIMER }),
  disclaimer_fr: t.string({
    description: 'Unofficial French translation of the disclaimer.',
    resolve: () => MACRO_DISCLAIMER_FR,
  }),
})

/** How complete the page is, and whether it is made up. */
export const qualityFields = <Meta extends PageMeta>(t: MetaFields<Meta>) => ({
  data_quality: t.field({
    type: DataQualityType,
    nullable: true,
    description: 'full, or partial where a value on the page is null. Null for an empty page.',
    resolve: ({ data_quality: quality }) => quality,
  }),
  is_dev_dataset: t.boolean({
    description: 'True for synthetic seed data, false for live data.',
    resolve: ({ is_dev_dataset: isDev }) => isDev,
  }),
})
