import { AutoComplete } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants, DevicePath } from '@mdm/contract'
import { useSession } from '../../../core/session.tsx'
import { readStoredJson, writeStored } from '../../../lib/stored.ts'
import { Field } from '../../../ui/form/form.tsx'
import { FilesChoice } from './FilesChoice.tsx'

/** "Default storage path: the device's emulated storage root" (specification, 9). */
export const first_path = constants.device_storage_root
const paths_max = 8
const isPaths = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((path) => DevicePath.safeParse(path).success)
/** Where this person pushed to before. */
const pathsKey = (user_kid: string) => `push_paths.${user_kid}`
const usedPaths = (user_kid: string): string[] => readStoredJson('local', pathsKey(user_kid), isPaths) ?? []
export function rememberPath(user_kid: string, path: string): void {
  const others = usedPaths(user_kid).filter((each) => each !== path)
  writeStored('local', pathsKey(user_kid), JSON.stringify([path, ...others].slice(0, paths_max)))
}

export function FileFields() {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const { user_kid } = useSession()
  const paths = [...new Set([...usedPaths(user_kid), first_path])]
  return (
    <>
      <Field
        name="path"
        className="push-narrow"
        label={t('files.path')}
        extra={t('files.path_hint')}
        rules={[pathRule(t('common:invalid.required'), t('files.path_bad'))]}
      >
        <AutoComplete
          className="code"
          options={paths.map((value) => ({ value }))}
          showSearch={{ filterOption: (typed, option) => String(option?.value ?? '').includes(typed) }}
        />
      </Field>
      <Field
        name="file_kids"
        label={t('files.label')}
        rules={[
          {
            required: true,
            validator: (_rule, kids: string[] | undefined) =>
              kids?.length ? Promise.resolve() : Promise.reject(new Error(t('files.choose'))),
          },
        ]}
      >
        <FilesChoice />
      </Field>
    </>
  )
}

/** "Push path required and of valid format" (specification, 5). */
const pathRule = (required: string, bad: string): FormRule => ({
  required: true,
  validator: (_rule, path: string | undefined) => {
    if (!path?.trim()) return Promise.reject(new Error(required))
    return DevicePath.safeParse(path).success ? Promise.resolve() : Promise.reject(new Error(bad))
  },
})
