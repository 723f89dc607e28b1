import { Checkbox, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { AppPackage, pushedAppLimits } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { AppsChoice } from './AppsChoice.tsx'
import type { WantedApp } from './AppsChoice.tsx'

export function AppInstallFields() {
  const { t } = useTranslation('push-task/wizard')
  return (
    <>
      <Field
        name="apps"
        label={t('apps.label')}
        extra={t('apps.hint')}
        rules={[
          {
            required: true,
            validator: (_rule, apps: readonly WantedApp[] | undefined) =>
              apps?.length ? Promise.resolve() : Promise.reject(new Error(t('apps.choose'))),
          },
        ]}
      >
        <AppsChoice />
      </Field>
      <Field name="may_downgrade" valuePropName="checked" extra={t('apps.downgrade_hint')}>
        <Checkbox>{t('apps.downgrade')}</Checkbox>
      </Field>
    </>
  )
}

/** Packages by their names, several of them by comma (specification, 5); those of the app center are offered. */
export function AppUninstallFields() {
  const { t } = useTranslation('push-task/wizard')
  const may_list = useMay('appCenterList')
  const query = useCall(api.appCenter.paging, { page_size: 200, sort: 'name' }, { enabled: may_list })
  return (
    <Field
      name="packages"
      label={t('packages.label')}
      extra={t('packages.hint')}
      rules={[
        {
          required: true,
          validator: (_rule, packages: readonly string[] | undefined) => {
            if (!packages?.length) return Promise.reject(new Error(t('packages.choose')))
            const wrong = packages.find((each) => !AppPackage.safeParse(each).success)
            return wrong === undefined
              ? Promise.resolve()
              : Promise.reject(new Error(t('packages.bad', { name: wrong })))
          },
        },
      ]}
    >
      <Select
        mode="tags"
        className="push-narrow"
        tokenSeparators={[',', ' ', '\n']}
        maxCount={pushedAppLimits.packages}
        options={(query.data?.items ?? []).map((app) => ({
          value: app.package,
          label: `${app.name} (${app.package})`,
        }))}
        optionLabelProp="value"
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Field>
  )
}
