import { definePort } from './ports.js'

/** Whether the provider of a `source` allows commercial use of its data; null where it does not say. */
export type CommercialUse = (source: string) => boolean | null

/** The terms on which the data of a `source` may be used; null if unknown. */
export type LicenceOfSource = (source: string) => string | null

export const licencePort = definePort<LicenceOfSource>('licence')

export const commercialUsePort = definePort<CommercialUse>('commercial-use')
