import type { JSX } from 'preact'
import { ScrollArea } from './scroll-area.js'
import { Heading, type TableColumn, toCell } from './sortable-table.js'

export interface OrderedColumn<Row> extends Pick<TableColumn<Row>, 'name' | 'cell' | 'isNumber'> {
  /** What the gateway calls this order; makes the column sortable. */
  readonly sortName?: string
}

export interface TableOrder {
  readonly sortName: string
  readonly isAscending: boolean
}

export interface OrderedTableProps<Row> {
  readonly label: string
  /** The first column names the row. */
  readonly columns: readonly OrderedColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  readonly order: TableOrder | null
  readonly onOrder: (order: TableOrder) => void
}

/** The arrows move between the links of the rows. */
function moveBetweenRows(event: JSX.TargetedKeyboardEvent<HTMLElement>): void {
  const row = event.target instanceof Element ? event.target.closest('tr') : null
  const next =
    event.key === 'ArrowDown'
      ? row?.nextElementSibling
      : event.key === 'ArrowUp'
        ? row?.previousElementSibling
        : null
  const link = next?.querySelector('a')
  if (link == null) return
  event.preventDefault()
  link.focus()
}

/** A page of rows that the gateway has sorted. Figures begin with the largest, texts with the first. */
export function OrderedTable<Row>(props: OrderedTableProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf, order, onOrder } = props
  const directionOf = ({ sortName }: OrderedColumn<Row>) =>
    order === null || order.sortName !== sortName ? null : order.isAscending ? 'ascending' : 'descending'
  const sortBy = (column: OrderedColumn<Row>) => {
    const { sortName, isNumber = false } = column
    if (sortName === undefined) return
    const isAscending = order?.sortName === sortName ? !order.isAscending : !isNumber
    onOrder({ sortName, isAscending })
  }
  return (
    <ScrollArea label={label} hasStickyHead>
      <table class="sortable">
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column.name}
                column={column}
                isSortable={column.sortName !== undefined}
                direction={directionOf(column)}
                onSort={() => sortBy(column)}
              />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {rows.map((row) => (
            <tr key={keyOf(row)}>{columns.map((column, at) => toCell(column, row, at))}</tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}
