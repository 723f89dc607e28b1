import { CopyOutlined, PrinterOutlined } from '@ant-design/icons'
import { Button, QRCode } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../core/notices.ts'
import { CodeBlock } from '../../../ui/value/CodeBlock.tsx'
import { copyText } from '../../../ui/value/values.tsx'
import { useWholePixels } from '../../../ui/value/whole-pixels.ts'

type Props = {
  /** What scanners read. */
  value: string
  label: string
  title: string
  hint: string
  /** Pixels at most on the screen; on paper the code is as wide as the page. */
  size: number
  /** Below the code, on paper too. */
  facts?: ReactNode
  /** Beside printing and copying. */
  actions?: ReactNode
}

/** A code that is kept: on the screen, as text, and on a sheet of paper that says what to do with it. */
export function QrSheet({ value, label, title, hint, size, facts, actions }: Props) {
  const { t } = useTranslation(['devices/enrolment', 'common'])
  const { frame, whole } = useWholePixels(value, size)
  const copy = () =>
    copyText(value).then(
      () => notify.ok(t('copied')),
      () => notify.fail(new Error(t('common:copy_failed'))),
    )
  return (
    <>
      <section className="qr-sheet" aria-label={title}>
        <h2>{title}</h2>
        <p className="dim">{hint}</p>
        <div className="qr-code" ref={frame}>
          <QRCode
            value={value}
            type="svg"
            size={whole}
            // Scanners want four modules of white around a code.
            marginSize={4}
            color="#000"
            bgColor="#fff"
            bordered={false}
            // A text may fill the largest code there is, which holds that much at this level only.
            errorLevel="L"
            role="img"
            aria-label={label}
          />
        </div>
        {facts && <div className="qr-facts">{facts}</div>}
      </section>
      <div className="qr-tools">
        <Button icon={<PrinterOutlined aria-hidden />} onClick={() => print()}>
          {t('print')}
        </Button>
        <Button icon={<CopyOutlined aria-hidden />} onClick={() => void copy()}>
          {t('copy')}
        </Button>
        {actions}
      </div>
      <details className="qr-text">
        <summary>{t('text')}</summary>
        <CodeBlock label={t('text')} text={value} />
      </details>
    </>
  )
}
