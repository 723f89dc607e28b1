import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { useCount } from '../../ui/value/format.ts'

/** How many user accounts may still be added, and why none where that is so. */
export function usePlaces() {
  const { t } = useTranslation('user-account')
  const count = useCount()
  const { data } = useCall(api.userAccount.inventory, {})
  if (!data || data.user_max === null) return { full: undefined, badge: undefined }
  const left = Math.max(0, data.user_max - data.user_count)
  const max = count(data.user_max)
  return {
    full: left === 0 ? t('places_full', { max }) : undefined,
    badge: (
      <span className="places" data-full={left === 0}>
        {t('places_left', { count: left, shown: count(left), max })}
      </span>
    ),
  }
}
