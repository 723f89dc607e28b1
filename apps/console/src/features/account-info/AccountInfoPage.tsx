import { UserOutlined } from '@ant-design/icons'
import { Button, Form, Select, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { languages } from '@mdm/contract'
import type { Language, Out } from '@mdm/contract'
import { api, useCall, useWrite } from '../../api.ts'
import { languageNames } from '../../i18n/language.ts'
import { DetailPage } from '../../screen/DetailPage.tsx'
import { Failure } from '../../screen/Failure.tsx'
import { DateTime } from '../../screen/values.tsx'
import { browserZone, refreshSession } from '../../session.tsx'
import { putLanguage, useSessionStore } from '../../session-store.ts'

type Info = Out<typeof api.account.info>
const typeKeys = { 1: 'type_1', 2: 'type_2', 3: 'type_3', 101: 'type_101' } as const

export default function AccountInfoPage() {
  const { t } = useTranslation('account-info')
  const query = useCall(api.account.info, {})
  const info = query.data
  const type = info && typeKeys[info.type as keyof typeof typeKeys]
  return (
    <DetailPage
      title={t('title')}
      icon={<UserOutlined />}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
      properties={[
        { label: t('username'), value: info?.username },
        { label: t('name'), value: info?.name },
        { label: t('phone'), value: info?.phone },
        { label: t('email'), value: info?.email },
        { label: t('organization'), value: info?.organization_name },
        { label: t('type'), value: type && t(type) },
        { label: t('roles'), value: info?.roles.join(', ') },
        { label: t('last_use'), value: <DateTime at={info?.last_use_at} /> },
      ]}
    >
      {info ? <Preferences info={info} /> : <Skeleton active />}
    </DetailPage>
  )
}

type Values = { language: Language; zone_id: string | null; map_type: '1' | '2' | null }

function Preferences({ info }: { info: Info }) {
  const { t } = useTranslation('account-info')
  const language = useSessionStore((s) => s.language)
  const save = useWrite(api.account.save_preferences, {
    done: t('saved'),
    onSuccess: (_done, input) => {
      if (input.language) putLanguage(input.language)
      void refreshSession()
    },
  })
  const submit = (values: Values) => {
    const { language: chosen, zone_id, map_type } = values
    save.mutate({ language: chosen, zone_id: zone_id ?? browserZone(), ...(map_type && { map_type }) })
  }
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone }))
  return (
    <section className="preferences" aria-labelledby="preferences">
      <h2 id="preferences">{t('preferences')}</h2>
      <Form<Values>
        layout="vertical"
        style={{ maxWidth: 420 }}
        initialValues={{ language: info.language ?? language, zone_id: info.zone_id, map_type: info.map_type }}
        onFinish={submit}
      >
        <Form.Item name="language" label={t('language')}>
          <Select options={languages.map((each) => ({ value: each, label: languageNames[each] }))} />
        </Form.Item>
        <Form.Item name="zone_id" label={t('zone')}>
          <Select showSearch options={zones} placeholder={t('zone_browser', { zone: browserZone() })} />
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
    </section>
  )
}
