import { useTranslation } from 'react-i18next'
import type { PanelProps } from './kinds.tsx'
import { QrPanel } from './QrPanel.tsx'
import { terminalPage } from './terminal-page.ts'

/** A one-time code that a phone opens with its camera: the page behind it is the device. */
export function BrowserPanel(props: PanelProps) {
  const { t } = useTranslation('devices/enrolment')
  return <QrPanel {...props} hint={t('browser.hint')} addressOf={terminalPage} noteOf={noteOf} />

  function noteOf(address: string): string | undefined {
    return address.startsWith('https:') ? undefined : t('browser.no_tls')
  }
}
