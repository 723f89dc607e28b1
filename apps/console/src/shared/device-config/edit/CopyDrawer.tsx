import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { copy_targets_max } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { flat } from '../../groups/group-tree.ts'
import { useGroups } from '../../groups/GroupPicker.tsx'
import type { ConfigPlace } from '../config-place.ts'

type Values = { sections: ConfigSection[]; terminal_group_kids: string[]; terminal_kids: string[] }
type Props = { place: ConfigPlace; name: string; sections: readonly ConfigSection[]; onClose: () => void }

/** Copies what is set at a level to groups and devices, secrets included. */
export function CopyDrawer({ place, name, sections, onClose }: Props) {
  const { t } = useTranslation(['device-config/edit', 'common'])
  const textOf = useTextOf()
  const copy = useWrite(api.terminalConfig.copy, { done: t('copy.done'), also: ['terminal', 'get'] })
  const { tree } = useGroups()
  const devices = useCall(api.terminal.paging, { page_size: 200, sort: 'sn', order: 'asc' })
  return (
    <FormDrawer<Values>
      title={t('copy.title', { name })}
      submit={t('copy.submit')}
      initial={{ sections: [...sections], terminal_group_kids: [], terminal_kids: [] }}
      loading={copy.isPending}
      submitError={copy.error}
      onSubmit={(given) => copy.mutateAsync({ ...place, ...given })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="config-many">{t('copy.hint')}</p>
      <Field name="sections" label={t('copy.sections')} rules={[{ required: true, message: t('copy.choose') }]}>
        <Select
          mode="multiple"
          options={sections.map((section) => ({ value: section, label: textOf(sectionOf(section).title) }))}
        />
      </Field>
      <Field name="terminal_group_kids" label={t('copy.groups')}>
        <Select
          mode="multiple"
          maxCount={copy_targets_max}
          showSearch={{ optionFilterProp: 'label' }}
          options={flat(tree).map(({ kid, name: label }) => ({ value: kid, label }))}
        />
      </Field>
      <Field name="terminal_kids" label={t('copy.devices')}>
        <Select
          mode="multiple"
          maxCount={copy_targets_max}
          showSearch={{ optionFilterProp: 'label' }}
          options={(devices.data?.items ?? []).map(({ kid, sn, name: label }) => ({
            value: kid,
            label: label ? `${sn} (${label})` : sn,
          }))}
        />
      </Field>
    </FormDrawer>
  )
}
