import { useTranslation } from 'react-i18next'
import { pushEffects, pushPhases } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import type { Filter } from '../../../ui/list/filters.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { OrDash } from '../../../ui/value/values.tsx'
import { CountsBar } from '../CountsBar.tsx'
import { PushEffectBadge, PushPhaseBadge } from './badges.tsx'
import { effectNames, usePushNow } from './use-push-now.ts'

/** How a push stands, in every list of pushes: its phase, how far it is, what it brought. */
export function usePushStanding(): Column<PushTaskRow>[] {
  const { t } = useTranslation(['push-task/task', 'push'])
  const now = usePushNow()
  return [
    {
      key: 'phase',
      title: t('column.phase'),
      export: { labels: t('phase', { returnObjects: true }) },
      render: (_, row) => <PushPhaseBadge task={row} title={now(row)} />,
    },
    {
      key: 'counts',
      title: t('column.progress'),
      export: {
        key: 'counts',
        labels: {
          ...t('push:state', { returnObjects: true }),
          total: t('fact.devices'),
          running: t('push:running'),
          gone: t('left_out.gone'),
        },
      },
      render: (_, row) => <Progress row={row} />,
    },
    {
      key: 'effect',
      title: t('column.effect'),
      export: {
        labels: Object.fromEntries(effectNames.map((name) => [pushEffects[name], t(`effect.${name}`)])),
      },
      render: (_, row) => <OrDash>{row.effect !== null && <PushEffectBadge effect={row.effect} />}</OrDash>,
    },
  ]
}

/** Until its devices are there, how far their making is, or how many it is meant for. */
function Progress({ row }: { row: PushTaskRow }) {
  const { t } = useTranslation('push-task/task')
  const count = useCount()
  const now = usePushNow()
  const { phase, counts, target_count, type, frozen_count } = row
  if (phase === 'creating')
    return (
      <ProgressBar
        percent={target_count > 0 ? Math.floor(((frozen_count ?? counts.total) / target_count) * 100) : 0}
        label={now(row)}
      />
    )
  if (counts.total === 0)
    return <span className="dim">{t('fact.devices_value', { count: target_count, shown: count(target_count) })}</span>
  return <CountsBar counts={counts} type={type} />
}

/** By which every list of pushes is filtered, whatever kinds it has; named in `pushFilterKinds`. */
export function usePushFilters(): Filter[] {
  const { t } = useTranslation(['push-task/task', 'common'])
  const creators = useCall(api.pushTask.list_creators, {}).data ?? []
  return [
    {
      key: 'phases',
      kind: 'many',
      label: t('column.phase'),
      options: pushPhases.map((value) => ({ value, label: t(`phase.${value}`) })),
    },
    {
      key: 'effect',
      kind: 'one',
      label: t('column.effect'),
      options: [
        { value: String(pushEffects.all), label: t('common:all') },
        ...effectNames.map((name) => ({ value: String(pushEffects[name]), label: t(`effect.${name}`) })),
      ],
    },
    {
      key: 'created_by',
      kind: 'many',
      label: t('column.by'),
      options: creators.map((name) => ({ value: name, label: name })),
    },
    { key: 'created', kind: 'time', label: t('common:created_at') },
  ]
}
export const pushFilterKinds = {
  text: 'text',
  phases: 'texts',
  effect: 'number',
  created_by: 'texts',
  created: 'json',
} as const
