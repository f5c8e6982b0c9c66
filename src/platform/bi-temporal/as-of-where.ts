/** Prisma's condition for the rows of a bi-temporal model that are current (`asOf` null) or were current at an instant. */
export function asOfWhere(asOf: Date | null) {
  return asOf === null
    ? { knownTo: null }
    : { knownFrom: { lte: asOf }, OR: [{ knownTo: null }, { knownTo: { gt: asOf } }] }
}
