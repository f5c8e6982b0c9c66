import { getPublicUrl } from '../../config/public-url.js'
import type { Config } from '../../config.js'
import { createMailTransport } from '../../platform/mail/mail-transport.js'
import { createSignedLinks } from '../../platform/secrets/signed-links.js'
import type { Newsletter } from './model.js'

/** Creates the newsletter with the secrets and the mail server of an installation. */
export function configuredNewsletter(config: Config): Newsletter {
  const { newsletter } = config
  const route = newsletter && {
    from: newsletter.from,
    perMinute: newsletter.perMinute,
    newTransport: (maxConnections: number) => createMailTransport(newsletter.server, maxConnections),
  }
  return {
    links: createSignedLinks(config.keyPepper, config.keyPepperPrevious),
    publicUrl: getPublicUrl(config),
    route,
  }
}
