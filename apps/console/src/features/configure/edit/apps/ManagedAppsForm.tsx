import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { fieldFaultsOf, ltscopes } from '@mdm/contract'
import { managed_apps } from '@mdm/contract/config/apps.ts'
import type { ManagedEntry } from '@mdm/contract/config/apps.ts'
import { useTextOf } from '../../../../i18n/use-text-of.ts'
import { Field, FormDrawer } from '../../../../ui/form/form.tsx'
import { faultText } from '../../../../ui/form/zod-rules.ts'
import type { ConfigPlace } from '../../config-place.ts'
import type { CallFailed } from '../../../../core/call-failed.ts'
import { ManagedEntries } from './ManagedEntries.tsx'
import { AppsOfProvider } from './offered-apps.ts'

type Values = { entries: ManagedEntry[] }
type Props = {
  place: ConfigPlace
  name: string
  initial: Values | null
  /** Why it was refused before. */
  refusal: CallFailed | null
  onKeep: (value: Values) => void
  onClose: () => void
}

/** What apps read as their settings: a form for each, made of what its package says of itself. */
export function ManagedAppsForm({ place, name, initial, refusal, onKeep, onClose }: Props) {
  const { t } = useTranslation(['configure', 'configure/edit'])
  const textOf = useTextOf()
  const [form] = Form.useForm<Values>()
  // As much as is told at once; each says which setting it is about.
  const valid = (_rule: unknown, entries: ManagedEntry[] = []) => {
    const { error } = managed_apps.value.safeParse({ entries })
    if (!error) return Promise.resolve()
    const [path, fault] = Object.entries(fieldFaultsOf(error, { entries }))[0]!
    const entry = entries[Number(path.split('.')[1])]
    const which = entry && [entry.package, entry.key].filter(Boolean).join(' · ')
    return Promise.reject(new Error([which, faultText(fault)].filter(Boolean).join(': ')))
  }
  return (
    <AppsOfProvider value={place.ltscope === ltscopes.platform}>
      <FormDrawer<Values>
        form={form}
        width={640}
        title={t('edit_title', { section: textOf(managed_apps.title), level: name })}
        submit={t('keep')}
        initial={initial ?? { entries: [] }}
        loading={false}
        submitError={refusal}
        onSubmit={(given) => onKeep(given)}
        onDone={onClose}
        onClose={onClose}
      >
        <p className="dim">{t('configure/edit:apps.hint')}</p>
        {place.ltscope !== ltscopes.terminal && <p className="config-note">{t('many')}</p>}
        <Field name="entries" validateTrigger="onSubmit" rules={[{ validator: valid }]}>
          <ManagedEntries />
        </Field>
      </FormDrawer>
    </AppsOfProvider>
  )
}
