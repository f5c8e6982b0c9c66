import type { DatasetName } from '../../core/datasets.js'
import { fullTextOf, MACRO_PUBLISHERS, type MacroProvider } from '../../core/providers.js'
import TEXTS from './texts.json' with { type: 'json' }

/** What a dataset is called and what it has. */
export interface DatasetTexts {
  readonly title: string
  readonly description: string
}

const OWN_TEXTS: Readonly<Record<Exclude<DatasetName, MacroProvider>, DatasetTexts>> = TEXTS

/** The texts of each dataset. Those of the series of a publisher follow from the table of providers. */
export const DATASET_TEXTS: ReadonlyMap<string, DatasetTexts> = new Map([
  ...Object.entries(OWN_TEXTS),
  ...MACRO_PUBLISHERS.map(
    (publisher) =>
      [
        publisher.id,
        {
          title: `Macro series: ${publisher.shortName ?? publisher.name}`,
          description: `Series of ${fullTextOf(publisher)}, with what was known when.`,
        },
      ] as const,
  ),
])

/** The texts of a dataset. Throws for one without texts. */
export function textsOf(dataset: DatasetName): DatasetTexts {
  const texts = DATASET_TEXTS.get(dataset)
  if (texts === undefined) throw new Error(`texts.json says nothing about ${dataset}`)
  return texts
}
