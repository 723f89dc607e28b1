import { Link } from 'react-router'
import { useTranslation } from 'react-i18next'
import { constants, errors } from '@mdm/contract'
import type { CloudFile } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { notify } from '../../core/notices.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Bytes } from '../../ui/value/values.tsx'
import { link } from '../../core/links.ts'
import { fileSides } from './sides.ts'
import type { FileSide } from './sides.ts'

export function DeleteFile({ side, file, onClose }: { side: FileSide; file: CloudFile; onClose: () => void }) {
  const { t } = useTranslation('file-cloud')
  return (
    <ConfirmWrite
      call={fileSides[side].calls.delete}
      input={{ kid: file.kid }}
      done={t(file.is_folder ? 'delete.folder_done' : 'delete.done')}
      title={t('delete.title', { name: file.name })}
      submit={t(file.is_folder ? 'delete.folder_submit' : 'delete.submit')}
      word="DELETE"
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>
            {file.name}
            {!file.is_folder && (
              <>
                , <Bytes value={file.size} />
              </>
            )}
          </p>
          <p>{t(file.is_folder ? 'delete.folder_what' : 'delete.what', { days: constants.pushed_local_file_days })}</p>
          {error?.result === errors.delete_failed.result && (
            <p className="delete-why">
              {t('delete.in_use')}{' '}
              {side === 'account' && (
                <Link
                  to={link.fileCloudPush.to({
                    text: file.is_folder ? undefined : file.name.slice(0, 100),
                    is_running: true,
                  })}
                >
                  {t('delete.show_pushes')}
                </Link>
              )}
            </p>
          )}
        </>
      )}
    </ConfirmWrite>
  )
}

type ManyProps = { side: FileSide; files: readonly CloudFile[]; onDone: () => void; onClose: () => void }
export function DeleteFiles({ side, files, onDone, onClose }: ManyProps) {
  const { t } = useTranslation('file-cloud')
  const count = files.length
  return (
    <ConfirmWrite
      call={fileSides[side].calls.batch_delete}
      input={{ kids: files.map(({ kid }) => kid) }}
      title={t('delete.many_title', { count })}
      submit={t('delete.many_submit', { count })}
      word="DELETE"
      onDone={({ deleted, kept }) => {
        if (deleted > 0) notify.ok(t('delete.many_done', { count: deleted }))
        if (kept.length > 0)
          notify.fail(
            new Error(t('delete.kept', { count: kept.length, names: listText(kept.map(({ name }) => name)) })),
          )
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        {listText(files.slice(0, 5).map(({ name }) => name))}
        {count > 5 && ` ${t('and_more', { count: count - 5 })}`}
      </p>
      <p>{t('delete.folder_what', { days: constants.pushed_local_file_days })}</p>
    </ConfirmWrite>
  )
}
