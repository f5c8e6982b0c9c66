import type { ComponentChildren, JSX } from 'preact'

/** Names and values; a fact without a value is left out. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}): JSX.Element {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '–')
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
