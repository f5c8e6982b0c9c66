import { loadMailCounts } from '../../domains/newsletter/delivery-store.js'
import type { CheckWorld } from '../check.js'
import { type Finding, off, ok, warning } from '../finding.js'

/** Checks whether mails of the newsletter of the last 30 days were given up. */
export async function checkNewsletter({ database, config, clock }: CheckWorld): Promise<readonly Finding[]> {
  if (config.newsletter === null) return [off('newsletter', 'SMTP_URL is not set', 'set SMTP_URL')]
  const counts = await loadMailCounts(database, clock.now())
  return counts.map(({ state, mails }) => {
    const message = `${mails} ${state} in 30 days`
    const finding =
      state === 'failed' && mails > 0
        ? warning(
            'newsletter',
            message,
            'read last_error in the table newsletter_delivery, and the check mail',
          )
        : ok('newsletter', message)
    return { ...finding, facts: { state, mails } }
  })
}
