import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { copy_targets_max } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import { api, send, useWrite } from '../../../core/api.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { DeviceChoice } from '../../../shared/devices-picker/DeviceChoice.tsx'
import type { NamedDevice } from '../../../shared/devices-picker/chosen.ts'
import { flat } from '../../../shared/groups/group-tree.ts'
import { useGroups } from '../../../shared/groups/GroupPicker.tsx'
import type { ConfigPlace } from '../config-place.ts'
import { useSaid } from '../use-said.ts'
import { useSaveQuestion } from './use-save.tsx'

type Values = { sections: ConfigSection[]; terminal_group_kids: string[]; devices: readonly NamedDevice[] }
type Props = { place: ConfigPlace; name: string; sections: readonly ConfigSection[]; onClose: () => void }

/** Copies what is set at a level to groups and devices, secrets included. */
export function CopyDrawer({ place, name, sections, onClose }: Props) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const textOf = useTextOf()
  const copy = useWrite(api.terminalConfig.copy, { done: useSaid(t('copy.done')), also: ['terminal', 'get'] })
  const { tree } = useGroups()
  const { ask, dialog } = useSaveQuestion({ may_step: false, is_copy: true })
  return (
    <FormDrawer<Values>
      title={t('copy.title', { name })}
      submit={t('copy.submit')}
      initial={{ sections: [...sections], terminal_group_kids: [], devices: [] }}
      loading={copy.isPending}
      submitError={copy.error}
      onSubmit={async ({ devices, ...given }) => {
        const input = { ...place, ...given, terminal_kids: devices.map(({ kid }) => kid) }
        await ask(send(api.terminalConfig.copy_affected, input))
        await copy.mutateAsync(input)
      }}
      width={720}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="config-note">{t('copy.hint')}</p>
      <Field name="sections" label={t('copy.sections')} rules={[{ required: true, message: t('copy.choose') }]}>
        <Select
          mode="multiple"
          options={sections.map((section) => ({ value: section, label: textOf(sectionOf(section).title) }))}
        />
      </Field>
      <Field
        name="terminal_group_kids"
        label={t('copy.groups')}
        rules={[
          ({ getFieldValue }) => ({
            // Either will do, so neither is marked as required.
            validator: (_rule, kids: string[]) =>
              kids.length > 0 || (getFieldValue('devices') as Values['devices']).length > 0
                ? Promise.resolve()
                : Promise.reject(new Error(t('copy.to_whom'))),
          }),
        ]}
        validateTrigger={[]}
        dependencies={['devices']}
      >
        <Select
          mode="multiple"
          maxCount={copy_targets_max}
          showSearch={{ optionFilterProp: 'label' }}
          options={flat(tree)
            .filter(({ kid }) => kid !== place.terminal_group_kid)
            .map(({ kid, name: label }) => ({ value: kid, label }))}
        />
      </Field>
      <Field name="devices" label={t('copy.devices')}>
        <DeviceChoice max={copy_targets_max} />
      </Field>
      {dialog}
    </FormDrawer>
  )
}
