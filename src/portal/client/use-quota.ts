import { useEffect, useState } from 'preact/hooks'
import { followQuota, getQuota, type Quota } from './quota.js'

export function useQuota(): Quota | null {
  const [quota, setQuota] = useState(getQuota)
  useEffect(() => followQuota(() => setQuota(getQuota())), [])
  return quota
}
