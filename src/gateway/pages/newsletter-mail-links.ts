import {
  CONFIRM_HOURS,
  CONFIRM_PATH,
  type Newsletter,
  UNSUBSCRIBE_PATH,
} from '../../domains/newsletter/model.js'
import { createNewsletterLinks } from '../../domains/newsletter/subscription-service.js'
import type { Database } from '../../platform/database/database.js'
import type { MailLink } from './newsletter-links.js'

const INSTEAD = 'log in and send DELETE /auth/me/newsletter'

/** The links in mails of the newsletter, with their pages. */
export function newsletterMailLinks(database: Database, { links }: Newsletter): readonly MailLink[] {
  const actions = createNewsletterLinks(database, links)
  return [
    {
      path: UNSUBSCRIBE_PATH,
      asks: {
        title: 'Unsubscribe',
        text: 'Your account receives the newsletter of this gateway. Press the button to stop it.',
        button: 'Unsubscribe',
      },
      done: { title: 'Unsubscribed', text: 'Your account receives no further newsletter.', button: null },
      status: 'unsubscribed',
      advice: `must be the whole token of a link in a mail; to unsubscribe without a link, ${INSTEAD}`,
      isValid: (token, now) => actions.isValid('newsletter-unsubscribe', { token, now }),
      follow: actions.unsubscribe,
    },
    {
      path: CONFIRM_PATH,
      asks: {
        title: 'Confirm the newsletter',
        text: 'Press the button to receive the weekly newsletter at this address.',
        button: 'Confirm',
      },
      done: {
        title: 'Confirmed',
        text: 'You will receive the next issue. Each mail contains a link to unsubscribe.',
        button: null,
      },
      status: 'subscribed',
      advice: `must be the token of the newest confirmation link, at most ${CONFIRM_HOURS} hours old; POST /auth/me/newsletter sends a new link`,
      isValid: (token, now) => actions.isValid('newsletter-confirm', { token, now }),
      follow: actions.confirm,
    },
  ]
}
