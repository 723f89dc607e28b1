import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { DeviceFile } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { nameFault } from '../../../lib/file-names.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { pathOf, visibleName } from './device-names.ts'

type Props = { terminal_kid: string; path: string; onClose: () => void }

/** The rules of a name (specification, 5), said before the device is asked. */
function NameField() {
  const { t } = useTranslation(['device-detail/files', 'common'])
  const validator = (_rule: unknown, name: string | undefined) => {
    const fault = nameFault(name ?? '')
    const text = fault && t(`fault.${fault}`, { max: constants.file_name_max })
    return text ? Promise.reject(new Error(text)) : Promise.resolve()
  }
  return (
    <Field name="name" label={t('common:name')} rules={[{ required: true, validator }]}>
      <Input autoFocus autoComplete="off" />
    </Field>
  )
}

export function NewFolderDrawer({ terminal_kid, path, onClose }: Props) {
  const { t } = useTranslation('device-detail/files')
  const make = useWrite(api.terminalFile.make_folder, { done: t('folder_created') })
  return (
    <FormDrawer<{ name: string }>
      title={t('new_folder')}
      submit={t('create_folder')}
      initial={{ name: '' }}
      loading={make.isPending}
      submitError={make.error}
      onSubmit={({ name }) => make.mutateAsync({ terminal_kid, path, name })}
      onDone={onClose}
      onClose={onClose}
    >
      <NameField />
    </FormDrawer>
  )
}

type OfFile = Props & { file: DeviceFile }

export function RenameFileDrawer({ terminal_kid, path, file, onClose }: OfFile) {
  const { t } = useTranslation('device-detail/files')
  const rename = useWrite(api.terminalFile.rename, { done: t('renamed') })
  return (
    <FormDrawer<{ name: string }>
      title={t('rename_of', { name: visibleName(file.name) })}
      submit={t('rename')}
      initial={{ name: file.name }}
      loading={rename.isPending}
      submitError={rename.error}
      onSubmit={({ name }) => rename.mutateAsync({ terminal_kid, path: pathOf(path, file.name), name })}
      onDone={onClose}
      onClose={onClose}
    >
      <NameField />
    </FormDrawer>
  )
}

export function DeleteDeviceFile({ terminal_kid, path, file, onClose }: OfFile) {
  const { t } = useTranslation('device-detail/files')
  const is_folder = file.type === 'folder'
  const whole = pathOf(path, file.name)
  return (
    <ConfirmWrite
      call={api.terminalFile.delete}
      input={{ terminal_kid, path: whole }}
      done={t('deleted')}
      title={t('delete_of', { name: visibleName(file.name) })}
      submit={t(is_folder ? 'delete_folder' : 'delete_file')}
      word="DELETE"
      onClose={onClose}
    >
      <p className="device-file-name">
        <bdi>{visibleName(whole)}</bdi> {!is_folder && <Bytes value={file.size} />}
      </p>
      <p>{t(is_folder ? 'delete_what_folder' : 'delete_what_file')}</p>
    </ConfirmWrite>
  )
}
