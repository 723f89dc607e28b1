import { Input } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { nameFault } from '../../../lib/file-names.ts'
import type { NameFault } from '../../../lib/file-names.ts'
import { Field } from '../../../ui/form/form.tsx'

type Say = (key: `file-cloud:fault.${NameFault}`, values: { max: number }) => string
/** The rules of names, said at the field. */
export const nameRule = (t: Say): FormRule => ({
  required: true,
  validator: (_rule, name: string | undefined) => {
    const fault = nameFault(name ?? '')
    return fault
      ? Promise.reject(new Error(t(`file-cloud:fault.${fault}`, { max: constants.file_name_max })))
      : Promise.resolve()
  },
})

/** Where on devices the files of a folder belong; by itself below the place of the folder that it is in. */
export function DevicePathField({ inherited }: { inherited?: string | undefined }) {
  const { t } = useTranslation('file-cloud')
  return (
    <Field
      name="device_path"
      label={t('place.label')}
      extra={t('place.hint', { root: constants.device_storage_root })}
      schema={api.fileCloud.update.input}
    >
      <Input className="code" autoComplete="off" placeholder={inherited} />
    </Field>
  )
}
