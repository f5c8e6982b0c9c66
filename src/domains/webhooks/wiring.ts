import type { Config } from '../../config.js'
import { createWebhookSignatures } from '../../platform/secrets/webhook-signatures.js'
import type { Webhooks } from './model.js'

/** Creates the secrets and settings of webhooks from the configuration. */
export function configuredWebhooks({ keyPepper, keyPepperPrevious, webhooks }: Config): Webhooks {
  const { attempts, firstRetryMs, timeoutMs, privateHosts, localHosts } = webhooks
  return {
    signatures: createWebhookSignatures(keyPepper, keyPepperPrevious),
    rules: { attempts, firstRetryMs, timeoutMs },
    privateHosts,
    localHosts,
  }
}
