import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { useWrite } from '../../../core/api.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { FolderSelect } from './FolderSelect.tsx'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'

type Props = {
  side: FileSide
  how: 'move' | 'copy'
  files: readonly CloudFile[]
  /** Where they are now. */
  folder_kid: string | undefined
  onDone?: () => void
  onClose: () => void
}
type Values = { folder_kid: string | null }

/** Asks for the folder that files and folders are moved or copied to. */
export function MoveFiles({ side, how, files, folder_kid, onDone, onClose }: Props) {
  const { t } = useTranslation('file-cloud')
  const { calls } = fileSides[side]
  const count = files.length
  const move = useWrite(calls.move, { done: t('move.done', { count }) })
  const copy = useWrite(calls.copy, { done: t('copy.done', { count }) })
  const write = how === 'move' ? move : copy
  const kids = files.map(({ kid }) => kid)
  return (
    <FormDrawer<Values>
      title={t(`${how}.title`, { count, name: files[0]?.name ?? '' })}
      submit={t(`${how}.submit`, { count })}
      initial={{ folder_kid: files[0]?.origin === 'platform' ? null : (folder_kid ?? null) }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) => write.mutateAsync({ kids, folder_kid: values.folder_kid ?? null })}
      onDone={() => {
        onDone?.()
        onClose()
      }}
      onClose={onClose}
    >
      <p className="form-note">
        {listText(files.slice(0, 5).map(({ name }) => name))}
        {count > 5 && ` ${t('and_more', { count: count - 5 })}`}
      </p>
      <Field name="folder_kid" label={t('folder.to')} extra={how === 'copy' ? t('copy.hint') : undefined}>
        <FolderSelect side={side} without={files.filter(({ is_folder }) => is_folder).map(({ kid }) => kid)} />
      </Field>
    </FormDrawer>
  )
}
