import { ANALYSIS_TYPES, type AnalysisType } from '../../../../domains/analysis/model.js'
import { tokenProfileOf } from '../facts/token-profile.js'

const WITHOUT_REGIME = ANALYSIS_TYPES.filter((type) => type !== 'regime')

/** The kinds of analysis of a crypto asset. A stablecoin has no market regime, because its price should not move. */
export function cryptoTypes({ slug }: { readonly slug: string }): readonly AnalysisType[] {
  return tokenProfileOf(slug)?.kind === 'stablecoin' ? WITHOUT_REGIME : ANALYSIS_TYPES
}
