import type { ComponentChildren, JSX } from 'preact'

export interface NamedFigure {
  readonly key: string
  readonly name: ComponentChildren
  readonly value: string
  readonly note: ComponentChildren
}

/** Names with a value and a note each. */
export function FigureTable({
  label,
  rows,
}: {
  readonly label: string
  readonly rows: readonly NamedFigure[]
}): JSX.Element {
  return (
    <table aria-label={label}>
      <tbody>
        {rows.map(({ key, name, value, note }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td class="number">{value}</td>
            <td class="number">{note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
