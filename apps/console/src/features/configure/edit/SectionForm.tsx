import { Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldFaultsOf, ltscopes } from '@mdm/contract'
import { initialOf, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { faultText } from '../../../ui/form/zod-rules.ts'
import { FormDrawer } from '../../../ui/form/form.tsx'
import type { ConfigPlace } from '../config-place.ts'
import { AppsOfProvider } from './apps/offered-apps.ts'
import { SectionFields } from './fields.tsx'
import type { CallFailed } from '../../../core/call-failed.ts'

type Values = Record<string, unknown>
export type SectionFormProps = {
  section: ConfigSection
  place: ConfigPlace
  name: string
  /** What is set there, else what holds; null begins with nothing. */
  initial: unknown
  /** Why it was refused before. */
  refusal: CallFailed | null
  onKeep: (value: unknown) => void
  onClose: () => void
}

/** Any section, made from its declaration. */
export function SectionForm({ section, place, name, initial, refusal, onKeep, onClose }: SectionFormProps) {
  const { t } = useTranslation('configure')
  const textOf = useTextOf()
  const [form] = Form.useForm<Values>()
  const { fields, title, hint, value: schema } = sectionOf(section)
  const begin = { ...initialOf(fields), ...(initial as Values | null) }
  const [values, setValues] = useState<Values>(begin)
  return (
    <FormDrawer<Values>
      form={form}
      width={560}
      title={t('edit_title', { section: textOf(title), level: name })}
      submit={t('keep')}
      initial={begin}
      loading={false}
      submitError={refusal}
      onValues={setValues}
      onSubmit={() => {
        // Fields that are hidden now keep what they had.
        const given = { ...begin, ...(form.getFieldsValue(true) as Values) }
        const read = schema.safeParse(given)
        if (!read.success) {
          const faults = Object.entries(fieldFaultsOf(read.error, given))
          form.setFields(
            faults.map(([path, fault]) => ({
              name: path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
              errors: [faultText(fault)],
            })) as never,
          )
          throw read.error
        }
        onKeep(given)
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="dim">{textOf(hint)}</p>
      {place.ltscope !== ltscopes.terminal && <p className="config-note">{t('many')}</p>}
      <AppsOfProvider value={place.ltscope === ltscopes.platform}>
        <SectionFields fields={fields} path={[]} beside={values} />
      </AppsOfProvider>
    </FormDrawer>
  )
}
