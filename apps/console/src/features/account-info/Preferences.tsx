import { Button, Form, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { knownZone, languages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { languageNames } from '../../i18n/language.ts'
import { Failure } from '../../ui/Failure.tsx'
import { ZoneSelect } from '../../ui/form/ZoneSelect.tsx'
import { browserZone, refreshSession } from '../../core/session.tsx'
import { putLanguage, useSessionStore } from '../../core/session-store.ts'
import type { Info } from './AccountInfoPage.tsx'
import { Part } from './Part.tsx'

type Values = { language: Language; zone_id: string | null; map_type: '1' | '2' | null }

export function Preferences({ info }: { info: Info }) {
  const { t } = useTranslation('account-info')
  const language = useSessionStore((s) => s.language)
  const browser_zone = browserZone()
  const save = useWrite(api.account.save_preferences, {
    done: t('saved'),
    onSuccess: (_done, input) => {
      if (input.language) putLanguage(input.language)
      void refreshSession()
    },
  })
  const submit = (values: Values) => {
    const { language: chosen, zone_id: chosen_zone, map_type } = values
    const zone = chosen_zone ?? browser_zone
    save.mutate({ language: chosen, ...(zone && { zone_id: zone }), ...(map_type && { map_type }) })
  }
  const zone_id = knownZone(info.zone_id) ?? null
  return (
    <Part title={t('part.preferences')}>
      <Form<Values>
        layout="vertical"
        style={{ maxWidth: 420 }}
        initialValues={{ language: info.language ?? language, zone_id, map_type: info.map_type }}
        onFinish={submit}
      >
        <Form.Item name="language" label={t('language')}>
          <Select options={languages.map((each) => ({ value: each, label: languageNames[each] }))} />
        </Form.Item>
        <Form.Item name="zone_id" label={t('zone')} extra={browser_zone ? undefined : t('zone_unknown')}>
          <ZoneSelect kept={zone_id} placeholder={t('zone_browser', { zone: browser_zone ?? 'UTC' })} />
        </Form.Item>
        <Form.Item name="map_type" label={t('map')}>
          <Select
            options={[
              { value: '1', label: t('map_1') },
              { value: '2', label: t('map_2') },
            ]}
          />
        </Form.Item>
        {save.error && <Failure error={save.error} is_line />}
        <Button type="primary" htmlType="submit" loading={save.isPending}>
          {t('save')}
        </Button>
      </Form>
    </Part>
  )
}
