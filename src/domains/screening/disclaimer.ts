/** Part of every screening. The English text is binding. */
export const SCREENING_DISCLAIMER =
  'For information only; not a substitute for licensed compliance services. The operator is not a licensed compliance vendor. Users perform their own due diligence.'

export const SCREENING_DISCLAIMER_FR =
  'Traduction non officielle : à titre d’information uniquement ; ne remplace pas les services d’un prestataire de conformité agréé. L’opérateur n’est pas un prestataire de conformité agréé. Il appartient aux utilisateurs d’effectuer leurs propres vérifications.'
