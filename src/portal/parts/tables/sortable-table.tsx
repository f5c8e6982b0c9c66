import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Pager } from './pager.js'
import { ScrollArea } from './scroll-area.js'

/** Text and numbers sort in their own order; null comes last in both directions. */
type SortKey = string | number | null

export interface TableColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Makes the column sortable. */
  readonly sortKey?: (row: Row) => SortKey
  readonly isNumber?: boolean
}

export interface SortableTableProps<Row> {
  readonly label: string
  /** The first column names the row. */
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  /** The text of a row that the filter searches; without it the table has no filter. */
  readonly filterText?: (row: Row) => string
  readonly pageSize?: number
  /** On a narrow screen each row becomes a block that names its cells. */
  readonly isStacked?: boolean
}

/** A table whose rows the reader sorts, filters and pages through. */
export function SortableTable<Row>(props: SortableTableProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf, filterText, pageSize = 25, isStacked = false } = props
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order | null>(null)
  const [offset, setOffset] = useState(0)
  const shown = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/)
    const matches = rows.filter((row) => {
      const text = filterText?.(row).toLowerCase() ?? ''
      return words.every((word) => text.includes(word))
    })
    const sortKey = order === null ? undefined : columns[order.column]?.sortKey
    return sortKey === undefined || order === null ? matches : sortRows(matches, sortKey, order.isAscending)
  }, [rows, columns, filterText, filter, order])
  const start = offset < shown.length ? offset : 0
  const sortBy = (column: number) => {
    setOrder({ column, isAscending: order?.column === column ? !order.isAscending : true })
    setOffset(0)
  }
  return (
    <>
      {filterText !== undefined && (
        <label>
          Filter
          <input
            type="search"
            value={filter}
            maxLength={64}
            onInput={(e) => setFilter(e.currentTarget.value)}
          />
        </label>
      )}
      <ScrollArea label={label}>
        <table class={isStacked ? 'sortable stacked' : 'sortable'}>
          <thead>
            <tr>
              {columns.map((column, at) => (
                <Heading
                  key={column.name}
                  column={column}
                  isSortable={column.sortKey !== undefined}
                  direction={order?.column === at ? (order.isAscending ? 'ascending' : 'descending') : null}
                  onSort={() => sortBy(at)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(start, start + pageSize).map((row) => (
              <tr key={keyOf(row)}>{columns.map((column, at) => toCell(column, row, at))}</tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {shown.length === 0 && <p class="quiet">No row contains “{filter}”.</p>}
      <Pager offset={start} pageSize={pageSize} total={shown.length} onMove={setOffset} />
    </>
  )
}

interface Order {
  /** Position of the column. */
  readonly column: number
  readonly isAscending: boolean
}

interface HeadingProps {
  readonly column: Pick<TableColumn<never>, 'name' | 'isNumber'>
  readonly isSortable: boolean
  readonly direction: 'ascending' | 'descending' | null
  readonly onSort: () => void
}

/** The heading of a column; with a button that sorts by it. */
export function Heading({ column, isSortable, direction, onSort }: HeadingProps): JSX.Element {
  const look = column.isNumber ? 'number' : ''
  if (!isSortable)
    return (
      <th scope="col" class={look}>
        {column.name}
      </th>
    )
  return (
    <th scope="col" class={look} {...(direction === null ? {} : { 'aria-sort': direction })}>
      <button type="button" class="sort" onClick={onSort}>
        {column.name}{' '}
        <span aria-hidden="true">{direction === null ? '↕' : direction === 'ascending' ? '↑' : '↓'}</span>
      </button>
    </th>
  )
}

/** The cell of a row in the column at a position; the first one names the row. */
export function toCell<Row>({ name, cell, isNumber }: TableColumn<Row>, row: Row, at: number): JSX.Element {
  if (at === 0)
    return (
      <th scope="row" key={name}>
        {cell(row)}
      </th>
    )
  return (
    <td key={name} class={isNumber ? 'number' : ''} data-name={name}>
      {cell(row)}
    </td>
  )
}

function sortRows<Row>(
  rows: readonly Row[],
  sortKey: (row: Row) => SortKey,
  isAscending: boolean,
): readonly Row[] {
  const sign = isAscending ? 1 : -1
  return [...rows].sort((a, b) => {
    const [left, right] = [sortKey(a), sortKey(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (typeof left === 'string' ? left.localeCompare(String(right)) : left - Number(right))
  })
}
