import { toIsoDate } from '../../../core/time.js'

/** A period as Prisma's client reads it, with its days as texts. */
export function withDays<Period extends { readonly validFrom: Date | null; readonly validTo: Date | null }>({
  validFrom,
  validTo,
  ...period
}: Period) {
  return { ...period, validFrom: validFrom && toIsoDate(validFrom), validTo: validTo && toIsoDate(validTo) }
}
