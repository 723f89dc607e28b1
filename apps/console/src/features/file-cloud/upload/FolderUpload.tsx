import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fileLimits } from '@mdm/contract'
import { send } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { useSession } from '../../../core/session.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Bytes } from '../../../ui/value/values.tsx'
import { byFolder, sorted } from '../../../shared/upload/folder-drop.ts'
import type { Found } from '../../../shared/upload/folder-drop.ts'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'
import { enqueue } from './uploads.ts'
import type { Wanted } from './uploads.ts'

export type Dropped = { found: readonly Found[]; empty: readonly string[][] }
type Props = { side: FileSide; dropped: Dropped; folder_kid: string | null; onClose: () => void }

/** A folder with all that is in it: how much it is, what cannot be kept, and where it goes. */
export function FolderUpload({ side, dropped, folder_kid, onClose }: Props) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const { account_name } = useSession()
  const [is_making, setMaking] = useState(false)
  const [error, setError] = useState<CallFailed | null>(null)
  const { valid, invalid } = sorted(dropped.found)
  const folders = byFolder(valid)
  const size = valid.reduce((sum, { file }) => sum + file.size, 0)
  const submit = async () => {
    setMaking(true)
    setError(null)
    try {
      enqueue(await placed(side, folder_kid, folders, dropped.empty))
      onClose()
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
    } finally {
      setMaking(false)
    }
  }
  return (
    <Dialog
      title={t('folder_upload.title')}
      okText={t('folder_upload.submit', { count: valid.length })}
      cancelText={t('common:cancel')}
      onOk={() => void submit()}
      confirmLoading={is_making}
      onCancel={onClose}
    >
      <p className="dim">{t('common:in_account', { account: account_name })}</p>
      <p>
        {t('folder_upload.what', { count: valid.length })} <Bytes value={size} />
      </p>
      {invalid.length > 0 && (
        <div className="folder-left-out" role="alert">
          <p>{t('folder_upload.left_out', { count: invalid.length })}</p>
          <ul>
            {invalid.slice(0, 10).map(({ file, folders: path }) => (
              <li key={[...path, file.name].join('/')}>{[...path, file.name].join('/')}</li>
            ))}
          </ul>
        </div>
      )}
      {error && <Failure error={error} is_line />}
    </Dialog>
  )
}

/** Makes the folders, each once, and says where each file goes. */
async function placed(
  side: FileSide,
  folder_kid: string | null,
  folders: ReadonlyMap<string, readonly Found[]>,
  empty: readonly string[][],
): Promise<Wanted[]> {
  const { make_path } = fileSides[side].calls
  const make = async (names: readonly string[]) =>
    names.length === 0 ? folder_kid : (await send(make_path, { folder_kid, names: [...names] })).kid
  const wanted: Wanted[] = []
  for (const files of folders.values()) {
    const kid = await make(files[0]!.folders)
    wanted.push(...files.map(({ file }) => ({ file, name: file.name, side, folder_kid: kid, is_visible: true })))
  }
  for (const names of empty.slice(0, fileLimits.folders)) await make(names)
  return wanted
}
