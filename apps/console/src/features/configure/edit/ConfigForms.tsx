import { Form, Input, InputNumber, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import {
  Collection as CollectionSchema,
  commonUrls,
  configSections,
  UrlLists as UrlListsSchema,
  wrongUrls,
} from '@mdm/contract/config/sections.ts'
import type { Collection, UrlLists } from '@mdm/contract/config/sections.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import type { ConfigPlace } from '../config-place.ts'
import type { CallFailed } from '../../../core/call-failed.ts'

type Props<V> = {
  place: ConfigPlace
  name: string
  initial: V
  /** Why it was refused before. */
  refusal: CallFailed | null
  onKeep: (value: V) => void
  onClose: () => void
}
type Switches = Extract<keyof Collection, `is_${string}`>
type Numbers = Exclude<keyof Collection, Switches>
type What = 'battery' | 'wifi' | 'mobile' | 'timed' | 'location' | 'usage'

/** Each kind with its switch, and the numbers that go with it: a name, its unit, and what stands before it. */
const kinds: { what: What; on: Switches; numbers: [Numbers, string, 'after' | 'every' | 'or_every'][] }[] = [
  { what: 'battery', on: 'is_battery_on', numbers: [['battery_percent', '%', 'after']] },
  { what: 'wifi', on: 'is_wifi_on', numbers: [['wifi_dbm', 'dBm', 'after']] },
  { what: 'mobile', on: 'is_mobile_on', numbers: [['mobile_dbm', 'dBm', 'after']] },
  { what: 'timed', on: 'is_timed_on', numbers: [['every_hours', 'hours', 'every']] },
  {
    what: 'location',
    on: 'is_location_on',
    numbers: [
      ['location_metres', 'metres', 'after'],
      ['location_hours', 'hours', 'or_every'],
    ],
  },
  { what: 'usage', on: 'is_usage_on', numbers: [] },
]

export function CollectionForm({ place, name, initial, refusal, onKeep, onClose }: Props<Collection>) {
  const { t } = useTranslation('configure')
  const textOf = useTextOf()
  const [form] = Form.useForm<Collection>()
  const [values, setValues] = useState(initial)
  const unit = (of: string) => (of === 'hours' || of === 'metres' ? t(`collection.${of}`) : of)
  return (
    <FormDrawer<Collection>
      form={form}
      title={t('edit_title', { section: textOf(configSections.collection.title), level: name })}
      submit={t('keep')}
      initial={initial}
      loading={false}
      submitError={refusal}
      onValues={(changed) => setValues({ ...values, ...changed })}
      // Numbers of a kind that is off are kept for when it is on again.
      onSubmit={(given) => onKeep({ ...initial, ...given })}
      onDone={onClose}
      onClose={onClose}
    >
      {place.ltscope !== ltscopes.terminal && <p className="config-note">{t('many')}</p>}
      {kinds.map(({ what, on, numbers }) => (
        <fieldset key={what} className="config-kind">
          <legend>{t(`collection.${what}`)}</legend>
          <Field name={on} valuePropName="checked">
            <Switch aria-label={t(`collection.${what}`)} />
          </Field>
          {!values[on] && <span className="dim">{t('collection.off')}</span>}
          {values[on] &&
            (numbers.length === 0 ? (
              <span>{t('collection.say_usage')}</span>
            ) : (
              numbers.map(([key, of, before]) => (
                <span key={key} className="config-number">
                  {t(`collection.${before}`)}
                  <Field name={key} rules={zodRules(CollectionSchema, key)}>
                    <InputNumber
                      aria-label={t(before === 'after' ? 'collection.value' : 'collection.interval', {
                        what: t(`collection.${what}`),
                      })}
                      precision={0}
                      suffix={unit(of)}
                    />
                  </Field>
                </span>
              ))
            ))}
        </fieldset>
      ))}
    </FormDrawer>
  )
}

export function UrlListsForm({ place, name, initial, refusal, onKeep, onClose }: Props<UrlLists>) {
  const { t } = useTranslation('configure')
  const textOf = useTextOf()
  const [form] = Form.useForm<UrlLists>()
  const valid = (_rule: unknown, list = '') => {
    const [wrong] = wrongUrls(list)
    if (wrong !== undefined) return Promise.reject(new Error(t('urls.wrong', { entry: wrong.slice(0, 80) })))
    const { success } = UrlListsSchema.shape.whitelist.safeParse(list)
    return success ? Promise.resolve() : Promise.reject(new Error(t('urls.too_long')))
  }
  const apart = (_rule: unknown, list = '') => {
    const [common] = commonUrls((form.getFieldValue('whitelist') as string | undefined) ?? '', list)
    return common === undefined ? Promise.resolve() : Promise.reject(new Error(t('urls.common', { entry: common })))
  }
  return (
    <FormDrawer<UrlLists>
      form={form}
      title={t('edit_title', { section: textOf(configSections.url_lists.title), level: name })}
      submit={t('keep')}
      initial={initial}
      loading={false}
      submitError={refusal}
      onSubmit={(url_lists) => onKeep(url_lists)}
      onDone={onClose}
      onClose={onClose}
    >
      {place.ltscope !== ltscopes.terminal && <p className="config-note">{t('many')}</p>}
      <Field name="whitelist" label={t('urls.whitelist')} extra={t('urls.format')} rules={[{ validator: valid }]}>
        <Input.TextArea autoFocus autoSize={{ minRows: 4, maxRows: 12 }} placeholder="example.com, *.example.org" />
      </Field>
      <Field name="blacklist" label={t('urls.blacklist')} rules={[{ validator: valid }, { validator: apart }]}>
        <Input.TextArea autoSize={{ minRows: 4, maxRows: 12 }} />
      </Field>
    </FormDrawer>
  )
}
