import { Link } from 'react-router'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Bytes } from '../../ui/value/values.tsx'
import { link } from '../../core/links.ts'

/** `delete_failed` of the catalogue: a push that has not ended still needs the file. */
const in_use = 43011

export function DeleteFile({ file, onClose }: { file: CloudFile; onClose: () => void }) {
  const { t } = useTranslation('file-cloud')
  return (
    <ConfirmWrite
      call={api.fileCloud.delete}
      input={{ kid: file.kid }}
      done={t('delete.done')}
      title={t('delete.title', { name: file.name })}
      submit={t('delete.submit')}
      word="DELETE"
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>
            {file.name}, <Bytes value={file.size} />
          </p>
          <p>{t('delete.what')}</p>
          {error?.result === in_use && (
            <p className="delete-why">
              {t('delete.in_use')}{' '}
              <Link to={link.fileCloudPush.to({ text: file.name.slice(0, 100), is_running: true })}>
                {t('delete.show_pushes')}
              </Link>
            </p>
          )}
        </>
      )}
    </ConfirmWrite>
  )
}
