import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushTaskRow } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useCount } from '../../../ui/value/format.ts'
import { watch } from './push-watch.ts'

/** Most are created before anybody could read that they are being created. */
const wait_ms = 1_500

export function PushWatch({ task }: { task: PushTaskRow }) {
  // Its words have come when this is mounted.
  useTranslation('push/watch')
  const textOf = useTextOf()
  const count = useCount()
  const begin = useEffectEvent(() => watch(task, { textOf, count }))
  useEffect(() => {
    const timer = setTimeout(() => begin(), wait_ms)
    return () => clearTimeout(timer)
  }, [])
  return null
}
