import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatDay, formatInstant } from '../parts/format.js'
import { Badge } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import { IssuerName } from './issuer-name.js'
import { type CheckArguments, kindText } from './parse-identifiers.js'

const CHECK = `query SanctionsCheck($leis: [String!], $isins: [String!], $imos: [String!], $wallets: [String!], $registrations: [RegistrationNumber!], $on: Date) {
  check_sanctions(leis: $leis, isins: $isins, imos: $imos, wallets: $wallets, registrations: $registrations, on: $on) {
    data {
      kind identifier country status problem lists since until
      designations { name programs { key title } }
    }
    lists { list title is_dev_dataset _meta { freshness_status last_updated_at } }
    meta { disclaimer }
  }
}`

type Status = 'listed' | 'formerly_listed' | 'mentioned' | 'not_found' | 'invalid'

interface Result {
  readonly kind: string
  readonly identifier: string
  readonly country: string | null
  readonly status: Status
  readonly problem: string | null
  readonly lists: readonly string[]
  readonly since: string | null
  readonly until: string | null
  readonly designations: readonly {
    readonly name: string | null
    readonly programs: readonly { readonly key: string; readonly title: string }[]
  }[]
}

interface Answer {
  readonly check_sanctions: {
    readonly data: readonly Result[]
    readonly lists: readonly {
      readonly list: string
      readonly title: string
      readonly is_dev_dataset: boolean
      readonly _meta: { readonly freshness_status: string; readonly last_updated_at: string }
    }[]
    readonly meta: { readonly disclaimer: string }
  }
}

/** The text and the tone of each status. */
const STATUSES = {
  listed: ['sanctioned', 'bad'],
  formerly_listed: ['no longer sanctioned', 'warn'],
  mentioned: ['mentioned, not sanctioned', 'quiet'],
  not_found: ['not found', 'quiet'],
  invalid: ['not valid', 'quiet'],
} as const satisfies Readonly<Record<Status, readonly [text: string, tone: string]>>

/** The companies of this many LEIs are looked up by themselves: each costs a unit. */
const MAX_NAMED = 5

interface PlacedResult extends Result {
  /** In the answer. */
  readonly position: number
}

const COLUMNS: readonly TableColumn<PlacedResult>[] = [
  {
    name: 'Identifier',
    cell: ({ identifier, country }) => (
      <span class="long">{country === null ? identifier : `${country} ${identifier}`}</span>
    ),
    sortKey: ({ identifier }) => identifier,
  },
  { name: 'Kind', cell: ({ kind }) => kindText(kind), sortKey: ({ kind }) => kind },
  { name: 'Result', cell: (result) => <ResultBadge result={result} />, sortKey: ({ status }) => status },
  { name: 'Name', cell: (result) => <SubjectName result={result} /> },
  { name: 'Lists', cell: ({ lists }) => lists.join(', ') || '–' },
  { name: 'Programmes', cell: ({ designations }) => programTitles(designations) },
  {
    name: 'Since',
    cell: ({ since }) => (since === null ? '–' : formatDay(since)),
    sortKey: ({ since }) => since,
  },
  {
    name: 'Until',
    cell: ({ until }) => (until === null ? '–' : formatDay(until)),
    sortKey: ({ until }) => until,
  },
]

export interface ScreeningPanelProps {
  readonly identifiers: CheckArguments
  /** The past day at whose end the results hold; empty for now. */
  readonly day: string
}

/** The results of a check, with the lists that were compared. */
export function ScreeningPanel({ identifiers, day }: ScreeningPanelProps): JSX.Element {
  const query = useMemo(() => {
    const given = Object.entries(identifiers).filter(([, list]) => list.length > 0)
    const variables = { ...Object.fromEntries(given), ...(day === '' ? {} : { on: day }) }
    return {
      document: CHECK,
      variables,
      rest: [{ method: 'POST', path: '/v1/sanctions/check', body: variables } as const],
    }
  }, [identifiers, day])
  return (
    <QueryPanel<Answer> title="Results" isWide query={query}>
      {({ check_sanctions: { data, lists, meta } }) => (
        <>
          {day !== '' && <p>The results hold at the end of {formatDay(day)} (UTC).</p>}
          {data.some(({ status }) => status === 'not_found') && (
            <p>
              <strong>Not found</strong> means that no list has the identifier. A list may still name the
              subject without it: search the lists below for its name.
            </p>
          )}
          <SortableTable
            label="Results by identifier"
            columns={COLUMNS}
            rows={data.map((result, position) => ({ ...result, position }))}
            keyOf={({ position }) => position}
            pageSize={50}
            isStacked
          />
          <h3>Lists searched</h3>
          <ul class="entries">
            {lists.map(({ list, title, is_dev_dataset, _meta }) => (
              <li key={list}>
                {title}: {_meta.freshness_status}, data of {formatInstant(_meta.last_updated_at)}{' '}
                {is_dev_dataset && <Badge tone="warn" text="synthetic" />}
              </li>
            ))}
          </ul>
          <p class="quiet">{meta.disclaimer}</p>
          <p class="actions">
            <button type="button" class="plain small" onClick={() => print()}>
              Print
            </button>
          </p>
        </>
      )}
    </QueryPanel>
  )
}

function ResultBadge({ result: { status, problem } }: { readonly result: Result }): JSX.Element {
  const [text, tone] = STATUSES[status]
  return (
    <>
      <Badge tone={tone} text={text} />
      {problem !== null && <span class="long quiet">{problem}</span>}
    </>
  )
}

function SubjectName({ result }: { readonly result: PlacedResult }): JSX.Element {
  const { kind, identifier, status, designations, position } = result
  const names = new Set(designations.flatMap(({ name }) => name ?? []))
  if (names.size > 0) return <>{[...names].join(', ')}</>
  const isLookedUp = kind === 'lei' && status === 'not_found' && position < MAX_NAMED
  return isLookedUp ? <IssuerName lei={identifier} /> : <>–</>
}

function programTitles(designations: Result['designations']): string {
  const titles = designations.flatMap(({ programs }) => programs.map(({ title }) => title))
  return [...new Set(titles)].join(', ') || '–'
}
