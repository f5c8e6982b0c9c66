import type { Config } from '../config.js'
import type { Webhooks } from '../domains/webhooks/model.js'
import { createWebhookSignatures } from '../platform/secrets/webhook-signatures.js'

/** The webhooks with the secrets and the settings of an installation. */
export function configuredWebhooks({ keyPepper, webhooks }: Config): Webhooks {
  const { attempts, firstRetryMs, timeoutMs, concurrency, privateHosts } = webhooks
  return {
    signatures: createWebhookSignatures(keyPepper),
    rules: { attempts, firstRetryMs, timeoutMs, concurrency },
    privateHosts,
  }
}
