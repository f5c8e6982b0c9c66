/** A model of Prisma's client whose rows name their source. */
interface SourcedModel {
  deleteMany(args: { readonly where: { readonly source: string } }): PromiseLike<{ readonly count: number }>
}

/** Removes all rows of a source from the models, in order, including closed rows. Returns their number. */
export async function removeSource(models: readonly SourcedModel[], source: string): Promise<number> {
  let removed = 0
  for (const model of models) removed += (await model.deleteMany({ where: { source } })).count
  return removed
}
