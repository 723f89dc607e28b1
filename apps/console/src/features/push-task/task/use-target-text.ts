import { useTranslation } from 'react-i18next'
import type { PushTarget } from '@mdm/contract'
import { listText } from '../../../i18n/list-text.ts'
import { useCount } from '../../../ui/value/format.ts'

/** Whom a push is for, in words; undefined where nobody said it. */
export function useTargetText(): (target: PushTarget | null) => string | undefined {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  return (target) => {
    if (!target) return undefined
    const { kind, names, named, is_narrowed } = target
    const more = named - names.length
    const listed = [...names, ...(more > 0 ? [t('target.more', { count: more, shown: count(more) })] : [])]
    const of = kind === 'named' ? listText(listed) : t(`target.${kind}`, { name: names.join(' / ') })
    return is_narrowed && kind !== 'match' ? t('target.narrowed', { of }) : of
  }
}
