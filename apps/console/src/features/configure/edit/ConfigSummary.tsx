import { useTranslation } from 'react-i18next'
import { urlsOf } from '@mdm/contract/config/sections.ts'
import type { Collection, UrlLists } from '@mdm/contract/config/sections.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Count } from '../../../ui/value/values.tsx'

/** A policy in words. */
export function CollectionSummary({ value }: { value: Collection }) {
  const { t } = useTranslation('configure')
  const line = (is_on: boolean, words: string) => (is_on ? words : <span className="dim">{t('collection.off')}</span>)
  const change = (by: number, unit: string) => t('collection.say_change', { value: by, unit })
  return (
    <Properties
      of={[
        { label: t('collection.battery'), value: line(value.is_battery_on, change(value.battery_percent, '%')) },
        { label: t('collection.wifi'), value: line(value.is_wifi_on, change(value.wifi_dbm, 'dBm')) },
        { label: t('collection.mobile'), value: line(value.is_mobile_on, change(value.mobile_dbm, 'dBm')) },
        {
          label: t('collection.timed'),
          value: line(value.is_timed_on, t('collection.say_every', { value: value.every_hours })),
        },
        {
          label: t('collection.location'),
          value: line(
            value.is_location_on,
            t('collection.say_location', { metres: value.location_metres, hours: value.location_hours }),
          ),
        },
        { label: t('collection.usage'), value: line(value.is_usage_on, t('collection.say_usage')) },
      ]}
    />
  )
}

export function UrlSummary({ value }: { value: UrlLists }) {
  const { t } = useTranslation('configure')
  return (
    <div className="url-lists">
      {(['whitelist', 'blacklist'] as const).map((name) => {
        const urls = urlsOf(value[name])
        return (
          <div key={name}>
            <h3>
              {t(`urls.${name}`)}{' '}
              <span className="dim">
                <Count value={urls.length} />
              </span>
            </h3>
            {urls.length === 0 ? (
              <p className="dim">{t('urls.none')}</p>
            ) : (
              <ul>
                {urls.map((url) => (
                  <li key={url}>{url}</li>
                ))}
              </ul>
            )}
          </div>
        )
      })}
    </div>
  )
}
