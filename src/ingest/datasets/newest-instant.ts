/** The latest of the instants. */
export function newestInstant(instants: readonly Date[]): Date {
  return new Date(instants.reduce((latest, instant) => Math.max(latest, instant.getTime()), -Infinity))
}
