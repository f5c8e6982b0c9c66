/**
 * Named zones, hours from UTC: those of RFC 822 and others with one meaning in feeds. Names of several zones, such
 * as IST and AST, are not included, nor are the military letters, whose signs many programs got wrong.
 */
const ZONE_HOURS: ReadonlyMap<string, number> = new Map([
  ...(['GMT', 'UT', 'UTC', 'Z', 'WET'] as const).map((name) => [name, 0] as const),
  ...(['BST', 'CET', 'MET', 'MEZ', 'WEST'] as const).map((name) => [name, 1] as const),
  ...(['CEST', 'MEST', 'MESZ', 'EET', 'SAST'] as const).map((name) => [name, 2] as const),
  ...(['EEST', 'MSK'] as const).map((name) => [name, 3] as const),
  ...([
    ['PKT', 5],
    ['WIB', 7],
    ['HKT', 8],
    ['SGT', 8],
    ['AWST', 8],
    ['JST', 9],
    ['KST', 9],
  ] as const),
  ...([
    ['ACST', 9.5],
    ['AEST', 10],
    ['ACDT', 10.5],
    ['AEDT', 11],
    ['NZST', 12],
    ['NZDT', 13],
  ] as const),
  ...([
    ['NST', -3.5],
    ['NDT', -2.5],
    ['ADT', -3],
    ['EST', -5],
    ['EDT', -4],
    ['CST', -6],
  ] as const),
  ...([
    ['CDT', -5],
    ['MST', -7],
    ['MDT', -6],
    ['PST', -8],
    ['PDT', -7],
    ['AKST', -9],
  ] as const),
  ...([
    ['AKDT', -8],
    ['HST', -10],
  ] as const),
])

/** Minutes from UTC of a zone: `+0200`, `+02:00`, `+2`, `CEST`, or `GMT+0200`; null for other text. */
export function minutesOfZone(written: string): number | null {
  const zone = written.toUpperCase()
  const named = ZONE_HOURS.get(zone)
  if (named !== undefined) return named * 60
  const offset = /^(?:GMT|UTC?)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone)
  if (offset === null) return null
  const [, sign, hours, minutes = '0'] = offset
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
