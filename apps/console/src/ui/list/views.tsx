import { CloseOutlined, StarOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListParams, ParamSchema } from './params.ts'
import { Popup } from '../dialog/Popup.tsx'
import { usePreference } from '../../core/preferences.ts'

type View = { name: string; search: string }
const isViews = (value: unknown): value is View[] =>
  Array.isArray(value) && value.every((view) => typeof view?.name === 'string' && typeof view?.search === 'string')

/** Search, filters and sorting under a name, remembered per person and list. */
export function ViewsButton({ id, params }: { id: string; params: ListParams<ParamSchema> }) {
  const { t } = useTranslation('common')
  const [stored, put] = usePreference(`views.${id}`, isViews)
  const views = stored ?? []
  const [name, setName] = useState('')
  const save = () => {
    if (!name.trim()) return
    put([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), search: params.text }])
    setName('')
  }
  const content = (
    <div className="views">
      {views.length === 0 && <p className="dim">{t('list.views_none')}</p>}
      {views.map((view) => (
        <div key={view.name} className="view">
          <button type="button" className="link" onClick={() => params.restore(view.search)}>
            {view.name}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={t('list.views_remove', { name: view.name })}
            onClick={() => put(views.length > 1 ? views.filter((each) => each !== view) : null)}
          >
            <CloseOutlined aria-hidden />
          </button>
        </div>
      ))}
      <form
        className="view-save"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Input
          size="small"
          maxLength={40}
          placeholder={t('list.views_name')}
          aria-label={t('list.views_name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button size="small" htmlType="submit">
          {t('list.views_save')}
        </Button>
      </form>
    </div>
  )
  return (
    <Popup placement="bottomRight" content={content}>
      <Button type="text" icon={<StarOutlined aria-hidden />} aria-label={t('list.views')} title={t('list.views')} />
    </Popup>
  )
}
