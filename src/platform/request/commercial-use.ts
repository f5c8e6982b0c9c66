import { definePort } from './ports.js'

/** Whether the provider of a `source` allows commercial use of its data; null where it does not say. */
export type CommercialUse = (source: string) => boolean | null

export const commercialUsePort = definePort<CommercialUse>('commercial-use')
