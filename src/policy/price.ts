/** The price of one root field; fields with the same name are listed separately. */
export interface FieldPrice {
  readonly field: string
  readonly units: number
}

/** The price of a request. */
export interface Price {
  /** By root field, without free fields. */
  readonly fields: readonly FieldPrice[]
  /** Sum over the fields. */
  readonly units: number
  /** Calls of discover among them; a separate window limits these too. */
  readonly discovers: number
  /** The most values (rows times fields) that the answer can hold, shown beside the cost; GraphQL only. */
  readonly values?: number
}

export const FREE: Price = { fields: [], units: 0, discovers: 0 }

/** The charge of a request and the caller's remaining units: `extensions.cost`. */
export interface Cost {
  readonly charged: number
  /** Units left in the tightest window. */
  readonly remaining: number
  /** Only for a dry run: the price of the request. */
  readonly price?: number
  /** The most values (rows times fields) that the answer could hold; GraphQL only. */
  readonly values?: number
  /** The most values that any operation may hold. */
  readonly values_limit?: number
}
