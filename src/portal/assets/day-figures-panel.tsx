import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { FactList } from '../parts/fact-list.js'
import { formatDay } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { DayFigures } from './day-figures.js'

type Figures = Readonly<Record<string, number | null>> & { readonly snapshot_date: string }
type Answer = Readonly<Record<string, { readonly data: Figures }>>

export interface DayFiguresPanelProps {
  readonly slug: string
  readonly figures: DayFigures
}

/** Figures of an asset on its newest day. */
export function DayFiguresPanel({ slug, figures }: DayFiguresPanelProps): JSX.Element {
  const { title, field, path, rows } = figures
  const members = rows.map(([, member]) => member).join(' ')
  return (
    <QueryPanel<Answer>
      title={title}
      query={{
        document: `query DayFigures($slug: String!) {
  ${field}(id: $slug) { data { snapshot_date ${members} } }
}`,
        variables: { slug },
        rest: [restGet(`/v1/assets/${slug}/${path}`)],
      }}
    >
      {({ [field]: answer }) =>
        answer !== undefined && (
          <FactList
            facts={[
              ...rows.map(([name, member, format]) => [name, format(answer.data[member] ?? null)] as const),
              ['Day', formatDay(answer.data.snapshot_date)],
            ]}
          />
        )
      }
    </QueryPanel>
  )
}
