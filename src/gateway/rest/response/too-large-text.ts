/**
 * Says that a result has more bytes than a client accepts, and what fits. `limit`: rows that fit; below 1 if the operation has no
 * such argument or no row fits.
 */
export function tooLargeText(size: string, maxBytes: number, limit: number): string {
  const advice =
    limit < 1 ? 'Request less, by a shorter range or a filter.' : `Set limit to ${limit}, or a shorter range.`
  return `The result ${size}, and at most ${maxBytes} are accepted. ${advice}`
}
