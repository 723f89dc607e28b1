import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { useSession } from '../../../core/session.tsx'
import { nameFault } from '../../../lib/file-names.ts'
import { rename, useUploads } from './uploads.ts'

/** For an upload whose name was taken while it was on its way: another name, without sending the bytes again. */
export function RenameDialog() {
  const { t } = useTranslation(['file-cloud', 'common'])
  const { account_kid } = useSession()
  const item = useUploads((s) => s.renaming)
  if (!item || item.owner.account_kid !== account_kid) return null
  const close = () => useUploads.setState({ renaming: null })
  return (
    <FormDrawer<{ name: string }>
      title={t('rename.title')}
      submit={t('rename.submit')}
      initial={{ name: item.name }}
      loading={false}
      submitError={null}
      onSubmit={({ name }) => rename(item, name)}
      onDone={close}
      onClose={close}
    >
      <p className="form-note">{t('rename.what')}</p>
      <Field
        name="name"
        label={t('common:name')}
        rules={[
          {
            required: true,
            validator: (_rule, name: string) => {
              const fault = nameFault(name ?? '')
              const text = fault && t(`fault.${fault}`, { max: constants.file_name_max })
              return text ? Promise.reject(new Error(text)) : Promise.resolve()
            },
          },
        ]}
      >
        <Input autoFocus autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}
