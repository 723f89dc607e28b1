import { LeftOutlined, PrinterOutlined, RightOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DateTime } from '../../../ui/value/values.tsx'
import { CodePicture } from './CodePicture.tsx'
import { Printed } from './Printed.tsx'

type Props = { codes: readonly string[]; expires_at: string; name: string }
const shown_size = 380
const printed_size = 300

/** One code, or several that a device scans one after the other, in any order. */
export function CodeSequence({ codes, expires_at, name }: Props) {
  const { t } = useTranslation('istage/codes')
  const [at, setAt] = useState(0)
  const label = (place: number) =>
    codes.length === 1 ? t('label', { name }) : t('label_of', { name, place: place + 1, count: codes.length })
  return (
    <section className="staging-codes" aria-label={t('codes_of', { name })}>
      <div className="staging-shown">
        <CodePicture value={codes[at]!} label={label(at)} size={shown_size} />
        {codes.length > 1 && (
          <div className="staging-steps">
            <Button
              icon={<LeftOutlined aria-hidden />}
              aria-label={t('previous')}
              disabled={at === 0}
              onClick={() => setAt(at - 1)}
            />
            <span className="number" role="status">
              {t('place', { place: at + 1, count: codes.length })}
            </span>
            <Button
              icon={<RightOutlined aria-hidden />}
              aria-label={t('next')}
              disabled={at === codes.length - 1}
              onClick={() => setAt(at + 1)}
            />
          </div>
        )}
      </div>
      <div className="staging-about">
        <p>{t('scan', { count: codes.length })}</p>
        <p className="dim">
          {t('good_until')} <DateTime at={expires_at} />
        </p>
        {codes.length > 1 && (
          <nav className="staging-overview" aria-label={t('overview')}>
            {codes.map((code, place) => (
              <button
                key={code}
                type="button"
                aria-label={t('show_place', { place: place + 1 })}
                aria-current={place === at}
                onClick={() => setAt(place)}
              >
                {place + 1}
              </button>
            ))}
          </nav>
        )}
        <Button icon={<PrinterOutlined aria-hidden />} onClick={() => print()}>
          {t('print')}
        </Button>
      </div>
      <Printed layout="sequence">
        {codes.map((code, place) => (
          <figure key={code}>
            <CodePicture value={code} label={label(place)} size={printed_size} />
            <figcaption>
              <strong>{name}</strong>
              {codes.length > 1 && <span>{t('place', { place: place + 1, count: codes.length })}</span>}
              <span>
                {t('good_until')} <DateTime at={expires_at} />
              </span>
            </figcaption>
          </figure>
        ))}
      </Printed>
    </section>
  )
}
