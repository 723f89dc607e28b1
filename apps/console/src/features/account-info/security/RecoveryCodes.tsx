import { CopyOutlined, DownloadOutlined, PrinterOutlined } from '@ant-design/icons'
import { Button, Modal } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../core/notices.ts'
import { saveText } from '../../../lib/save-text.ts'
import { copyList } from './keep-codes.ts'

type Props = { codes: readonly string[]; username: string; onClose: () => void }

/** Shown this once: left by a button that says they are kept, not by a slip of the mouse. */
export function RecoveryCodes({ codes, username, onClose }: Props) {
  const { t } = useTranslation(['account-info', 'common'])
  const list = useRef<HTMLUListElement>(null)
  const heading = t('codes.of', { host: location.host, username })
  const copy = () =>
    copyList(list.current as HTMLElement, codes).then(
      () => notify.ok(t('codes.copied')),
      () => notify.fail(new Error(t('common:copy_failed'))),
    )
  return (
    <Modal
      open
      width={480}
      title={t('codes.title')}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('codes.kept')}
        </Button>
      }
    >
      <p>{t('codes.text')}</p>
      <div className="recovery">
        <p className="dim">{heading}</p>
        <ul ref={list}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </div>
      <div className="recovery-ways">
        <Button icon={<CopyOutlined aria-hidden />} onClick={() => void copy()}>
          {t('codes.copy')}
        </Button>
        <Button
          icon={<DownloadOutlined aria-hidden />}
          onClick={() => saveText(`mdm-recovery-${username}.txt`, [heading, '', ...codes, ''].join('\n'))}
        >
          {t('codes.download')}
        </Button>
        <Button icon={<PrinterOutlined aria-hidden />} onClick={() => print()}>
          {t('codes.print')}
        </Button>
      </div>
    </Modal>
  )
}
