import { Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { config_group_permission, holds, ltscopes } from '@mdm/contract'
import type { IstageConfig } from '@mdm/contract'
import { useSession } from '../../core/session.tsx'
import type { ConfigPlace } from '../configure/public.ts'
import { useSave } from '../configure/public.ts'
import { DeviceChoice } from '../../shared/devices-picker/DeviceChoice.tsx'
import type { NamedDevice } from '../../shared/devices-picker/chosen.ts'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'

type Level = 'account' | 'group' | 'terminal'
type Values = { level: Level; terminal_group_kid?: string; devices: readonly NamedDevice[] }
type Props = { config: Pick<IstageConfig, 'kid' | 'name'>; onClose: () => void }

const placeOf = ({ level, terminal_group_kid, devices }: Values): ConfigPlace => ({
  ltscope: ltscopes[level],
  ...(level === 'group' && terminal_group_kid && { terminal_group_kid }),
  ...(level === 'terminal' && devices[0] && { terminal_kid: devices[0].kid }),
})

/** Sets the configuration at a level, as any other section: devices below it get it, and say what came of it. */
export default function PushDrawer({ config, onClose }: Props) {
  const { t } = useTranslation('istage')
  const { permissions } = useSession()
  const may_group = holds(permissions, config_group_permission)
  const initial: Values = { level: may_group ? 'group' : 'terminal', devices: [] }
  const [values, setValues] = useState(initial)
  const save = useSave(placeOf(values), 'istage')
  const levels: Level[] = may_group ? ['account', 'group', 'terminal'] : ['terminal']
  const { level } = values
  return (
    <FormDrawer<Values>
      title={t('push.title', { name: config.name })}
      submit={t('push.submit')}
      initial={initial}
      loading={save.isPending}
      submitError={save.error}
      onValues={setValues}
      onSubmit={() => save.run({ config_kid: config.kid, name: '', type: '', version: '', private_content: '' })}
      onDone={onClose}
      onClose={onClose}
      width={720}
    >
      <p className="dim">{t('push.hint')}</p>
      <Field name="level" label={t('push.level')}>
        <Radio.Group options={levels.map((value) => ({ value, label: t(`push.${value}`) }))} />
      </Field>
      {level === 'group' && (
        <Field
          name="terminal_group_kid"
          label={t('push.group')}
          rules={[{ required: true, message: t('push.no_group') }]}
        >
          <GroupPicker />
        </Field>
      )}
      <Field
        name="devices"
        label={t('push.terminal')}
        hidden={level !== 'terminal'}
        rules={
          level === 'terminal' ? [{ required: true, type: 'array', min: 1, max: 1, message: t('push.no_device') }] : []
        }
        validateTrigger={[]}
      >
        <DeviceChoice max={1} />
      </Field>
      {save.dialog}
    </FormDrawer>
  )
}
