import { getPublicUrl } from '../../config/public-url.js'
import type { Config } from '../../config.js'
import { createSmtpSession } from '../../platform/mail/smtp-session.js'
import { createSignedLinks } from '../../platform/secrets/signed-links.js'
import type { Newsletter } from './model.js'

/**
 * Creates the newsletter with the secrets and the mail server of an installation. A new connection logs in as the settings say
 * that were read last.
 */
export function configuredNewsletter(config: Config, newest: () => Config): Newsletter {
  const { newsletter } = config
  const route = newsletter && {
    from: newsletter.from,
    perMinute: newsletter.perMinute,
    newSession: () => createSmtpSession(() => (newest().newsletter ?? newsletter).server),
  }
  return {
    links: createSignedLinks(config.keyPepper, config.keyPepperPrevious),
    publicUrl: getPublicUrl(config),
    route,
  }
}
