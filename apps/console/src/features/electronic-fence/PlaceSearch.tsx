import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import type { Place } from '../../map/coordinates.ts'
import { Failure } from '../../ui/Failure.tsx'

/** Finds a place by its name, where a geocoder is set. It is asked on Enter, never while somebody types. */
export function PlaceSearch({ onFind }: { onFind: (at: Place) => void }) {
  const { t } = useTranslation('electronic-fence')
  const [text, setText] = useState('')
  const is_on = useCall(api.electronicFence.find_place, { text: '' }).data?.is_on === true
  const found = useCall(api.electronicFence.find_place, { text }, { enabled: text !== '' })
  if (!is_on) return null
  const choose = (place: Place) => {
    onFind(place)
    setText('')
  }
  return (
    <div className="fence-search">
      <Input.Search
        allowClear
        aria-label={t('form.find')}
        placeholder={t('form.find')}
        maxLength={100}
        loading={text !== '' && found.isPending}
        onSearch={(typed, event) => {
          event?.preventDefault()
          setText(typed.trim())
        }}
        // Enter searches; it must not send the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        onPressEnter={(event) => setText(event.currentTarget.value.trim())}
      />
      {found.error && text !== '' && <Failure error={found.error} retry={found.refetch} is_line />}
      {text !== '' && found.data && (
        <ul className="fence-found">
          {found.data.places.map((place) => (
            <li key={`${place.name} ${place.longitude} ${place.latitude}`}>
              <button type="button" className="link" onClick={() => choose(place)}>
                {place.name}
              </button>
            </li>
          ))}
          {found.data.places.length === 0 && <li className="dim">{t('form.find_none')}</li>}
        </ul>
      )}
    </div>
  )
}
