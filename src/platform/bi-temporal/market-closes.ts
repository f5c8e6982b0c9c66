import { CALENDARS } from '../../core/calendars/calendars.js'

/** No closing auction of an exchange with a calendar ends later after the session. */
export const AUCTION_MINUTES = 15

/**
 * SQL: the branches of a `case` with the instant at which the closing price of a day is known on each market that has a calendar. The
 * latest usual end of a session counts, so that it is never too early.
 */
export function marketCloses(date: string, mic: string): string {
  return CALENDARS.flatMap(({ code, timeZone, coversFrom, coversTo, hours }) => {
    if (hours === null) return []
    const closes = hours
      .map((each) => each.closes)
      .sort()
      .at(-1)
    return [
      `when ${mic} = '${code}' and ${date} between '${coversFrom}' and '${coversTo}'
        then (${date} + time '${closes}' + interval '${AUCTION_MINUTES} minutes') at time zone '${timeZone}'`,
    ]
  }).join('\n')
}
