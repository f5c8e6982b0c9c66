import { Fragment, type JSX } from 'preact'
import { formatClockTime, formatDay, formatInstant } from '../format.js'
import { DataTable } from '../panel.js'
import {
  describeVersions,
  type KnownBasis,
  type KnownVersion,
  listInstants,
  listSpans,
} from './known-version.js'

/** More columns do not fit a phone. The table has all versions. */
const MAX_DRAWN = 3

const BASES = [
  ['observed', 'Observed: when this gateway knew it'],
  ['published', 'Published: when its publisher had made it known'],
] as const

export interface KnownVersionsProps {
  /** Names the value in a sentence. */
  readonly what: string
  /** Oldest first. */
  readonly versions: readonly KnownVersion[]
  /** The data have a rule of publication. */
  readonly hasRule: boolean
}

/** What `as_of` answers for one value over time by each basis: a drawing, its text and a table of the versions. */
export function KnownVersions({ what, versions, hasRule }: KnownVersionsProps): JSX.Element {
  const text = describeVersions(what, versions)
  const bases = hasRule ? BASES : BASES.slice(0, 1)
  return (
    <>
      <p>{text}</p>
      <KnownBars
        label={`${what} by ${hasRule ? 'both bases' : 'observation'}. ${text}`}
        versions={versions}
        bases={bases}
      />
      <p class="quiet">
        Each column begins at the instant above it; the widths are not to scale.
        {versions.length > MAX_DRAWN &&
          ` The drawing has the newest ${MAX_DRAWN} of ${versions.length} versions.`}{' '}
        {!hasRule &&
          'What the publisher sends does not say when a value was published, so only basis=observed answers. '}
        Read <a href="/docs/guides/as-of#two-clocks">how both bases count</a>.
      </p>
      <DataTable
        label={`Versions of ${what}`}
        columns={['Value', 'Observed from', ...(hasRule ? ['Published from'] : []), 'Until']}
      >
        {[...versions].reverse().map(({ text: value, known_from, known_to, published_from }) => (
          <tr key={known_from}>
            <th scope="row">{value}</th>
            <td>{formatInstant(known_from)}</td>
            {hasRule && <td>{formatInstant(published_from)}</td>}
            <td>{known_to === null ? 'now' : formatInstant(known_to)}</td>
          </tr>
        ))}
      </DataTable>
    </>
  )
}

interface KnownBarsProps {
  /** A screen reader announces this text. */
  readonly label: string
  readonly versions: readonly KnownVersion[]
  readonly bases: readonly (readonly [basis: KnownBasis, text: string])[]
}

function KnownBars({ label, versions, bases }: KnownBarsProps): JSX.Element {
  const drawn = versions.slice(-MAX_DRAWN)
  const instants = listInstants(drawn)
  return (
    <div
      class="known-bars"
      role="img"
      aria-label={label}
      style={{ gridTemplateColumns: `repeat(${instants.length}, minmax(0, 1fr))` }}
    >
      {instants.map((instant) => (
        <time key={instant} dateTime={instant}>
          {formatDay(instant)} <span>{formatClockTime(instant)}</span>
        </time>
      ))}
      {bases.map(([basis, name]) => (
        <Fragment key={basis}>
          <span class="basis">{name}</span>
          {listSpans(drawn, basis, instants).map(({ text, start, end }) => (
            <span
              key={start}
              class={`${basis} ${text === null ? 'unknown' : ''}`}
              style={{ gridColumn: `${start + 1} / ${end + 1}` }}
            >
              {text ?? 'nothing'}
            </span>
          ))}
        </Fragment>
      ))}
    </div>
  )
}
