import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'

const hours = { hour: 1, day: 24, week: 168 } as const
const lengths = Object.keys(hours) as (keyof typeof hours)[]

type Rule = { kid: string; name: string; is_silent: boolean }

/** For how long a rule may be silenced, or that it speaks again. */
export function useSilence(): (rule: Rule) => RowAction[] {
  const { t } = useTranslation('alert')
  const silence = useWrite(api.alertRule.silence, { also: ['alert'] })
  const turn = async ({ kid, name }: Rule, for_hours: number) => {
    if (!(await silence.run({ kid, hours: for_hours }))) return
    notify.ok(t(for_hours === 0 ? 'silence.ended' : 'silence.begun', { name }))
  }
  const needs = 'alertList:handle' as const
  return (rule) =>
    rule.is_silent
      ? [{ needs, label: t('silence.end'), onSelect: () => void turn(rule, 0) }]
      : lengths.map((length) => ({
          needs,
          label: t(`silence.${length}`),
          onSelect: () => void turn(rule, hours[length]),
        }))
}
