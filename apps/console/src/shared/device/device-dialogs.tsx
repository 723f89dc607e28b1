import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { useTray } from '../../core/tray.ts'
import { GroupPicker } from '../groups/GroupPicker.tsx'
import { kidsOf } from './targets.tsx'
import type { Target } from './targets.tsx'
import { WhichDevices } from './WhichDevices.tsx'
import type { Matching } from './WhichDevices.tsx'

type Props = {
  targets: readonly Target[]
  /** Instead of `targets`. */
  matching?: Matching | undefined
  onClose: () => void
  onDone?: () => void
}

/** The rules of an alias (specification, section 5). */
export function useAliasRules() {
  const { t } = useTranslation('device')
  const validator = (_rule: unknown, value: string | undefined) => {
    const name = (value ?? '').trim()
    if (name.length > constants.alias_max)
      return Promise.reject(new Error(t('rename.too_long', { max: constants.alias_max })))
    if (name.includes('%')) return Promise.reject(new Error(t('rename.percent')))
    return Promise.resolve()
  }
  return [{ validator }]
}

export function RenameDrawer({ device, onClose }: { device: Target; onClose: () => void }) {
  const { t } = useTranslation('device')
  const rules = useAliasRules()
  const rename = useWrite(api.terminal.update, { done: t('rename.done') })
  return (
    <FormDrawer<{ name: string }>
      title={t('rename.title', { sn: device.sn })}
      submit={t('rename.submit')}
      initial={{ name: device.name }}
      loading={rename.isPending}
      submitError={rename.error}
      onSubmit={({ name }) => rename.mutateAsync({ kid: device.kid, name })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('rename.alias')} extra={t('rename.hint')} rules={rules}>
        <Input autoFocus allowClear />
      </Field>
    </FormDrawer>
  )
}

export function MoveDrawer({ targets, matching, onClose, onDone, from }: Props & { from?: string | null }) {
  const { t } = useTranslation('device')
  const count = matching?.count ?? targets.length
  const move = useWrite(api.terminal.move_group_batch, { done: t('move.done'), also: ['terminal_group'] })
  const which = matching ? { match: matching.match } : { terminal_kids: kidsOf(targets) }
  return (
    <FormDrawer<{ terminal_group_kid: string }>
      title={t('move.title', { count })}
      submit={t('move.submit', { count })}
      initial={from ? { terminal_group_kid: from } : {}}
      loading={move.isPending}
      submitError={move.error}
      onSubmit={({ terminal_group_kid }) => move.mutateAsync({ ...which, terminal_group_kid })}
      onDone={() => {
        onDone?.()
        onClose()
      }}
      onClose={onClose}
    >
      <WhichDevices targets={targets} matching={matching} />
      <Field
        name="terminal_group_kid"
        label={t('group.label')}
        extra={t('move.hint')}
        schema={api.terminal.move_group_batch.input}
      >
        <GroupPicker special={['NO_GROUP']} autoFocus />
      </Field>
    </FormDrawer>
  )
}

export const CancelDialog = (props: Props) => <RemoveDialog {...props} how="cancel" />
/** Nobody can register the SNs afterwards. */
export const ScrapDialog = (props: Props) => <RemoveDialog {...props} how="scrap" />

function RemoveDialog({ how, targets, matching, onClose, onDone }: Props & { how: 'cancel' | 'scrap' }) {
  const { t } = useTranslation(['device', 'device-scrap'])
  const count = matching?.count ?? targets.length
  const named = () => ({ terminalKids: kidsOf(targets), sns: targets.map(({ sn }) => sn) })
  const seconds = constants.scrap_delay_seconds
  const also = ['terminal_group', 'account', 'push_task']
  const cancel = useWrite(api.terminal.batch_cancel, { done: t('cancel.done', { count }), also })
  const scrap = useWrite(api.terminal.batch_scrap, {
    also: [...also, 'terminal_scrap'],
    onSuccess: ({ schedule_version }) => {
      if (schedule_version === null) return notify.ok(t('scrap.done', { count }))
      notify.info(t('device-scrap:asked', { count, seconds }))
      useTray.getState().setOpen(true)
    },
  })
  const remove = how === 'cancel' ? cancel : scrap
  return (
    <ConfirmDanger
      title={t(`${how}.title`, { count })}
      submit={t(`${how}.submit`, { count })}
      dismiss={t(`${how}.keep`, { count })}
      word="DELETE"
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={async () => {
        const which = matching ? { match: matching.match, expected_count: matching.count } : named()
        await remove.mutateAsync({ ...which, confirm: 'DELETE' })
        onDone?.()
        onClose()
      }}
      onClose={onClose}
    >
      <WhichDevices targets={targets} matching={matching} />
      <p>{t(`${how}.what`, { count })}</p>
      {how === 'scrap' && count >= constants.password_from_devices && (
        <p className="scrap-wait">{t('device-scrap:wait', { seconds })}</p>
      )}
    </ConfirmDanger>
  )
}
