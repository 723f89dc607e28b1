import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { ScrapSchedule } from '@mdm/contract'
import { watch } from './scrap-watch.ts'

export function ScrapWatch({ schedule }: { schedule: ScrapSchedule }) {
  // Its words have come when this is mounted.
  useTranslation('device-scrap')
  const begin = useEffectEvent(() => watch(schedule))
  useEffect(() => begin(), [])
  return null
}
