import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { fence_group_permission, ltscopes } from '@mdm/contract'
import type { ElectronicFence, Out } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { useMay } from '../../core/session.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Drawer } from '../../ui/dialog/Drawer.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { Ago, Clipped } from '../../ui/value/values.tsx'
import { usePlaceChoice } from './place-choice.tsx'
import type { FencePlace, Level } from './place-choice.tsx'

type Set = Out<typeof api.electronicFence.list_places>[number]

const levelOf = (ltscope: number): Level =>
  ltscope === ltscopes.account ? 'account' : ltscope === ltscopes.group ? 'group' : 'device'

/** Where a fence is in force; without a fence: where none shall be. */
export function PlacesDrawer({ of, onClose }: { of: ElectronicFence | null; onClose: () => void }) {
  const { t } = useTranslation('electronic-fence')
  const { fields, places, clear } = usePlaceChoice()
  const save = useWrite(api.electronicFence.save_places, { also: ['terminal'] })
  const reset = useWrite(api.electronicFence.reset_places, { also: ['terminal'] })
  const submit = async () => {
    if (places.length === 0) return void notify.ok(t('set.why_not'))
    if (!(await save.run({ fence_kid: of?.kid ?? null, places }))) return
    notify.ok(t(of ? 'set.done' : 'close.done'))
    clear()
  }
  const inherit = async () => {
    const done = places.length > 0 && (await reset.run({ places }))
    if (!done) return
    notify.ok(t('close.inherited', { count: done.reset }))
    clear()
  }
  return (
    <Drawer
      size={720}
      title={of ? t('set.title', { name: of.name }) : t('close.title')}
      onClose={onClose}
      footer={
        <div className="submit-bar">
          <Button type="primary" loading={save.isPending} disabled={places.length === 0} onClick={() => void submit()}>
            {of ? t('set.submit') : t('close.submit')}
          </Button>
          {!of && (
            <Button loading={reset.isPending} disabled={places.length === 0} onClick={() => void inherit()}>
              {t('close.inherit')}
            </Button>
          )}
        </div>
      }
    >
      <p>{of ? t('set.what') : t('close.what')}</p>
      {of && <WhereSet of={of} />}
      {fields}
    </Drawer>
  )
}

function WhereSet({ of }: { of: ElectronicFence }) {
  const { t } = useTranslation('electronic-fence')
  const may_group = useMay(fence_group_permission)
  const query = useCall(api.electronicFence.list_places, { kid: of.kid })
  const reset = useWrite(api.electronicFence.reset_places, { done: t('set.removed'), also: ['terminal'] })
  if (query.error && !query.data) return <Failure error={query.error} retry={query.refetch} is_line />
  if (!query.data) return <SkeletonRows columns={2} label={t('set.title', { name: of.name })} />
  if (query.data.length === 0) return <p className="dim">{t('set.none')}</p>
  const nameOf = (place: Set) =>
    place.name ?? (place.ltscope === ltscopes.account ? t('set.account') : t('set.unknown'))
  return (
    <ul className="fence-places">
      {query.data.map((place) => (
        <li key={`${place.ltscope} ${place.kid}`}>
          <span className="dim">{t(`set.${levelOf(place.ltscope)}`)}</span>
          <strong>
            <Clipped text={nameOf(place)} />
          </strong>
          <span className="dim">
            {t('set.by', { name: place.updated_by })} <Ago at={place.updated_at} />
          </span>
          {(may_group || place.ltscope === ltscopes.terminal) && (
            <Button
              size="small"
              aria-label={t('set.remove_of', { name: nameOf(place) })}
              loading={reset.isPending}
              onClick={() => void reset.run({ places: [placeOf(place)] })}
            >
              {t('set.remove')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

const placeOf = ({ ltscope, kid }: Set): FencePlace => ({
  ltscope,
  ...(ltscope === ltscopes.group ? { terminal_group_kid: kid! } : {}),
  ...(ltscope === ltscopes.terminal ? { terminal_kid: kid! } : {}),
})
