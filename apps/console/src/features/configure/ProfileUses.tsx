import { InputNumber, Radio, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { config_group_permission, contract } from '@mdm/contract'
import type { ProfileUse } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { DynamicGroupChoice } from '../../shared/devices-picker/DynamicGroupChoice.tsx'
import { DeviceChoice } from '../../shared/devices-picker/DeviceChoice.tsx'
import type { NamedDevice } from '../../shared/devices-picker/chosen.ts'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { WouldChange } from './edit/WouldChange.tsx'

const needs = config_group_permission
type Kind = 'group' | 'dynamic' | 'device'
const kindOf = (use: ProfileUse): Kind =>
  use.terminal_group_kid ? 'group' : use.terminal_dynamic_group_kid ? 'dynamic' : 'device'
const addressOf = ({ terminal_group_kid, terminal_dynamic_group_kid, terminal_kid }: ProfileUse): string =>
  terminal_kid
    ? link.deviceDetailConfig.to({ kid: terminal_kid })
    : link.deviceList.to({ terminal_group_kid, terminal_dynamic_group_kid })

/** Who uses a profile, and in which order: groups with all below, dynamic groups and devices. */
export function ProfileUses({ profile_kid }: { profile_kid: string }) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const query = useCall(api.configProfile.list_uses, { kid: profile_kid })
  const may_edit = useMay(needs)
  const uses = query.data ?? []
  const dialog = useDialog({ add_use: needs, remove_use: needs }, uses)
  const removed = dialog.of('remove_use')
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (query.isPending) return <Skeleton active title={false} paragraph={{ rows: 4 }} />
  return (
    <>
      <div className="config-tools">
        <p className="dim">{t('profile.order')}</p>
        <AddButton needs={needs} onClick={() => dialog.open('add_use')}>
          {t('profile.use')}
        </AddButton>
      </div>
      {uses.length === 0 ? (
        <p className="dim">{t('profile.unused')}</p>
      ) : (
        <ListTable<ProfileUse>
          aria-label={t('profile.uses')}
          rows={uses}
          nameOf={({ name }) => name}
          columns={[
            { key: 'name', title: t('common:name'), render: (_, use) => <Link to={addressOf(use)}>{use.name}</Link> },
            { key: 'kind', title: t('column.type'), render: (_, use) => t(`profile.kind.${kindOf(use)}`) },
            { key: 'position', title: t('profile.position'), align: 'right', dataIndex: 'position' },
            { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
            { key: 'created_at', title: t('common:created_at'), render: (_, use) => <DateTime at={use.created_at} /> },
          ]}
          rowActions={(use) =>
            may_edit
              ? [
                  {
                    text: t('profile.stop'),
                    label: `${t('profile.stop')}: ${use.name}`,
                    onSelect: () => dialog.open('remove_use', use),
                  },
                ]
              : []
          }
        />
      )}
      {dialog.is('add_use') && <UseDrawer profile_kid={profile_kid} uses={uses} onClose={dialog.close} />}
      {removed && (
        <ConfirmWrite
          call={api.configProfile.remove_use}
          input={targetOf(profile_kid, removed)}
          also={['terminal_config', 'terminal', 'get']}
          title={t('profile.stop_title', { name: removed.name })}
          submit={t('profile.stop')}
          done={t('profile.stopped')}
          onClose={dialog.close}
        >
          <p>{t('profile.stop_text')}</p>
          <Would target={targetOf(profile_kid, removed)} />
        </ConfirmWrite>
      )}
    </>
  )
}

type Target = {
  profile_kid: string
  terminal_group_kid?: string
  terminal_dynamic_group_kid?: string
  terminal_kid?: string
}
const targetOf = (profile_kid: string, use: ProfileUse): Target => ({
  profile_kid,
  ...(use.terminal_group_kid && { terminal_group_kid: use.terminal_group_kid }),
  ...(use.terminal_dynamic_group_kid && { terminal_dynamic_group_kid: use.terminal_dynamic_group_kid }),
  ...(use.terminal_kid && { terminal_kid: use.terminal_kid }),
})

function Would({ target }: { target: Target }) {
  return <WouldChange of={useCall(api.configProfile.use_affected, target, { fresh: true })} />
}

type Values = {
  kind: Kind
  terminal_group_kid?: string
  terminal_dynamic_group_kid?: string
  devices: readonly NamedDevice[]
  position: number
}
/** What a form chose, once it is chosen. */
function chosen(profile_kid: string, values: Values): Target | undefined {
  const { kind, terminal_group_kid, terminal_dynamic_group_kid, devices } = values
  if (kind === 'group') return terminal_group_kid ? { profile_kid, terminal_group_kid } : undefined
  if (kind === 'dynamic') return terminal_dynamic_group_kid ? { profile_kid, terminal_dynamic_group_kid } : undefined
  return devices[0] && { profile_kid, terminal_kid: devices[0].kid }
}

type DrawerProps = { profile_kid: string; uses: readonly ProfileUse[]; onClose: () => void }
function UseDrawer({ profile_kid, uses, onClose }: DrawerProps) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const save = useWrite(api.configProfile.add_use, {
    done: t('profile.used'),
    also: ['terminal_config', 'terminal', 'get'],
  })
  const last = Math.max(0, ...uses.map(({ position }) => position))
  const initial: Values = { kind: 'group', devices: [], position: Math.min(1_000, Math.floor(last / 10) * 10 + 10) }
  const [values, setValues] = useState(initial)
  const { kind } = values
  const target = chosen(profile_kid, values)
  const required = [{ required: true, message: t('copy.to_whom') }]
  return (
    <FormDrawer<Values>
      title={t('profile.use')}
      submit={t('profile.use')}
      initial={initial}
      loading={save.isPending}
      submitError={save.error}
      onValues={(given) => setValues({ ...initial, ...given })}
      onSubmit={(given) =>
        save.mutateAsync({ ...chosen(profile_kid, { ...initial, ...given })!, position: given.position })
      }
      onDone={onClose}
      onClose={onClose}
      width={720}
    >
      <Field name="kind" label={t('profile.whom')}>
        <Radio.Group
          options={(['group', 'dynamic', 'device'] as const).map((value) => ({
            value,
            label: t(`profile.kind.${value}`),
          }))}
        />
      </Field>
      {kind === 'group' && (
        <Field name="terminal_group_kid" label={t('profile.kind.group')} rules={required}>
          <GroupPicker />
        </Field>
      )}
      {kind === 'dynamic' && (
        <Field name="terminal_dynamic_group_kid" label={t('profile.kind.dynamic')} rules={required}>
          <DynamicGroupChoice value={values.terminal_dynamic_group_kid} onChange={() => undefined} />
        </Field>
      )}
      {kind === 'device' && (
        <Field
          name="devices"
          label={t('profile.kind.device')}
          rules={[{ required: true, type: 'array', min: 1, max: 1, message: t('copy.to_whom') }]}
          validateTrigger={[]}
        >
          <DeviceChoice max={1} />
        </Field>
      )}
      <Field
        name="position"
        label={t('profile.position')}
        extra={t('profile.order')}
        schema={contract.configProfile.calls.add_use.input}
      >
        <InputNumber min={1} max={1_000} precision={0} />
      </Field>
      {target && <Would key={JSON.stringify(target)} target={target} />}
    </FormDrawer>
  )
}
