const CHANGE_REASONS: Readonly<Record<string, string>> = {
  RESTATEMENT: 'restated',
  METHODOLOGY_CHANGE: 'new method',
  MODEL_UPGRADE: 'new model',
  DATA_REFRESH: 'new data',
}

/** The reason of a change in words. */
export function formatChangeReason(changeType: string): string {
  return CHANGE_REASONS[changeType] ?? changeType
}
