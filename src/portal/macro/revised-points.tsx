import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatChange, formatFigure, formatInstant } from '../parts/format.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import type { Observation } from './series-query.js'

/** What was known of a series at an instant. */
export interface Vintage {
  readonly asOf: string
  readonly observations: readonly Observation[]
}

interface RevisedPoint {
  readonly period: string
  readonly before: number | null
  readonly now: number | null
  readonly isWithdrawn: boolean
}

const PAGE_SIZE = 12

export interface RevisedPointsProps {
  readonly observations: readonly Observation[]
  readonly vintage: Vintage
}

/** The observations whose values changed since an earlier vintage. */
export function RevisedPoints({ observations, vintage }: RevisedPointsProps): JSX.Element {
  const points = useMemo(() => listRevisedPoints(observations, vintage), [observations, vintage.observations])
  const known = new Set(vintage.observations.map(({ period }) => period))
  const added = observations.filter(({ period }) => !known.has(period)).length
  return (
    <>
      <p>
        {known.size === 0
          ? `No observation of this range was known on ${formatInstant(vintage.asOf)}.`
          : `Revised since ${formatInstant(vintage.asOf)}: ${points.length} of the ${known.size} observations known then. Added since: ${added}.`}
      </p>
      {points.length > 0 && (
        <SortableTable
          label="Revised observations"
          columns={COLUMNS}
          rows={points}
          keyOf={({ period }) => period}
          pageSize={PAGE_SIZE}
        />
      )}
    </>
  )
}

/** Newest period first. */
function listRevisedPoints(observations: readonly Observation[], vintage: Vintage): readonly RevisedPoint[] {
  const present = new Map(observations.map(({ period, value }) => [period, value]))
  const points = vintage.observations.map(({ period, value }) => ({
    period,
    before: value,
    now: present.get(period) ?? null,
    isWithdrawn: !present.has(period),
  }))
  return points.filter(({ before, now, isWithdrawn }) => isWithdrawn || before !== now).reverse()
}

function changeOf({ before, now }: RevisedPoint): number | null {
  return before === null || now === null ? null : now - before
}

const COLUMNS: readonly TableColumn<RevisedPoint>[] = [
  { name: 'Period', cell: ({ period }) => period, sortKey: ({ period }) => period },
  {
    name: 'Then',
    isNumber: true,
    cell: ({ before }) => formatFigure(before),
    sortKey: ({ before }) => before,
  },
  {
    name: 'Now',
    isNumber: true,
    cell: ({ now, isWithdrawn }) => (isWithdrawn ? 'withdrawn' : formatFigure(now)),
    sortKey: ({ now }) => now,
  },
  {
    name: 'Change',
    isNumber: true,
    cell: (point) => formatChange(changeOf(point)),
    sortKey: changeOf,
  },
]
