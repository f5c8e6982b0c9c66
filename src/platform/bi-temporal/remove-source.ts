import type { Transaction } from '../database/database.js'

/** A model of Prisma's client whose rows name their source. */
interface SourcedModel {
  deleteMany(args: { readonly where: { readonly source: string } }): PromiseLike<{ readonly count: number }>
}

/** Removes all rows of a source from the models, in order, including closed rows. Returns their number. */
export function sourceRemover(modelsOf: (prisma: Transaction['prisma']) => readonly SourcedModel[]) {
  return async ({ prisma }: Pick<Transaction, 'prisma'>, source: string): Promise<number> => {
    let removed = 0
    for (const model of modelsOf(prisma)) removed += (await model.deleteMany({ where: { source } })).count
    return removed
  }
}
