import { PROVIDERS, type Provider } from '../../../core/providers.js'

/** The day of the last check of the facts in this folder; every change of them raises it. */
export const REFERENCE_VERSION = '2026-11-25'

export const referenceProvider: Provider = {
  ...PROVIDERS.reference,
  attribution: `${PROVIDERS.reference.attribution}, version ${REFERENCE_VERSION}`,
}
