import { DownloadOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { api, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { saveBytes } from '../../../lib/save-text.ts'
import { Failure } from '../../../ui/Failure.tsx'
import type { MakingOptions } from './StagingCodes.tsx'

const folder = '/sdcard/Download'

/** The same as a file: kept here, or brought to devices by the push of configuration files. */
export function FileActions({ making }: { making: MakingOptions }) {
  const { t } = useTranslation('istage/codes')
  const navigate = useNavigate()
  const [may_add, may_push] = [useMay('configureFilePushAdd'), useMay('configureFilePush:push')]
  const save = useWrite(api.istageCode.file, {
    onSuccess: ({ file_name, secret_file }) => saveBytes(file_name, secret_file),
  })
  const add = useWrite(api.configFile.insert, {
    onSuccess: ({ kid }) => void navigate(link.configureFilePush.to({ file: kid })),
  })
  const copy = useWrite(api.istageCode.file, {
    onSuccess: ({ file_name, secret_file }) => {
      // The same name may stand for the file of another day.
      const name = file_name.replace(/(\.\w+)$/, `-${Date.now().toString(36)}$1`)
      add.mutate({ name, path: folder, content: secret_file })
    },
  })
  const error = save.error ?? copy.error ?? add.error
  return (
    <>
      <Button icon={<DownloadOutlined aria-hidden />} loading={save.isPending} onClick={() => save.mutate(making)}>
        {t('file')}
      </Button>
      {may_add && may_push && (
        <Button
          icon={<SendOutlined aria-hidden />}
          loading={copy.isPending || add.isPending}
          onClick={() => copy.mutate(making)}
        >
          {t('push')}
        </Button>
      )}
      {error && <Failure error={error} is_line />}
    </>
  )
}
