import { Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import type { WebhookEvent } from '@mdm/contract'
import { eventKinds, everything } from './labels.ts'

type Props = { id?: string; value?: WebhookEvent[]; onChange?: (value: WebhookEvent[]) => void }

/** Which events are sent, as the control of a form field. */
export function EventChoice({ id, value, onChange }: Props) {
  const { t } = useTranslation('webhook')
  return (
    <div id={id} role="group" aria-label={t('events')} tabIndex={-1}>
      <Checkbox.Group<WebhookEvent> className="webhook-events" value={value} onChange={onChange}>
        <div>
          <Checkbox value={everything}>{t('everything')}</Checkbox>
          <p className="dim">{t('form.everything_hint')}</p>
        </div>
        {eventKinds.map(({ kind, events }) => (
          <div key={kind} role="group" aria-label={t(`kind.${kind}`)}>
            <h3 aria-hidden>{t(`kind.${kind}`)}</h3>
            <div className="webhook-kind">
              {events.map((event) => (
                <Checkbox key={event} value={event}>
                  {t(`event.${event}`)}
                </Checkbox>
              ))}
            </div>
          </div>
        ))}
      </Checkbox.Group>
    </div>
  )
}
