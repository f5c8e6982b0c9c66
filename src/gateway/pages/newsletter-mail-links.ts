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

/** The pages that the links of the newsletter's mails lead to. */
export function newsletterMailLinks(database: Database, { links }: Newsletter): readonly MailLink[] {
  const actions = createNewsletterLinks(database, links)
  return [
    {
      path: UNSUBSCRIBE_PATH,
      asks: {
        title: 'Unsubscribe',
        text: 'Your account gets the newsletter of this gateway. With this button it gets no further mail of it.',
        button: 'Unsubscribe',
      },
      done: { title: 'Unsubscribed', text: 'Your account gets no further newsletter.', button: null },
      status: 'unsubscribed',
      advice: `must be the one of a link in a mail, complete; to unsubscribe without it ${INSTEAD}`,
      isValid: (token, now) => actions.isValid('newsletter-unsubscribe', { token, now }),
      follow: actions.unsubscribe,
    },
    {
      path: CONFIRM_PATH,
      asks: {
        title: 'Confirm the newsletter',
        text: 'With this button you confirm that this address gets the weekly newsletter.',
        button: 'Confirm',
      },
      done: {
        title: 'Confirmed',
        text: 'You get the next issue. Each mail has a link to unsubscribe.',
        button: null,
      },
      status: 'subscribed',
      advice: `must be the one of the newest link that asks for a confirmation, ${CONFIRM_HOURS} hours old at most; POST /auth/me/newsletter sends another`,
      isValid: (token, now) => actions.isValid('newsletter-confirm', { token, now }),
      follow: actions.confirm,
    },
  ]
}
