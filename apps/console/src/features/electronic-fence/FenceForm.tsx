import { Form, Input, InputNumber, Select, Switch } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants, fenceAccuracyCodes, fenceAccuracyKeys, fenceLimits } from '@mdm/contract'
import type { ElectronicFence } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { useMay } from '../../core/session.tsx'
import type { Place } from '../../map/coordinates.ts'
import { MapView } from '../../map/MapView.tsx'
import type { Target } from '../../map/MapView.tsx'
import { boundsAround } from '../../map/use-circle.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'
import { accuracyOf } from './columns.tsx'
import { PlaceSearch } from './PlaceSearch.tsx'

type Values = {
  name: string
  is_on: boolean
  longitude: number | null
  latitude: number | null
  radius: number
  duration: number
  accuracy: 0 | 1 | 2
  is_ringing: boolean
  alarm_seconds: number
  is_locking: boolean
  password?: string
}
const schema = api.electronicFence.insert.input
const blank: Values = {
  name: '',
  is_on: true,
  longitude: null,
  latitude: null,
  radius: 500,
  duration: 60,
  accuracy: 0,
  is_ringing: false,
  alarm_seconds: 30,
  is_locking: false,
  password: '',
}
const valuesOf = ({ alarm_seconds, ...fence }: ElectronicFence): Values => ({
  ...blank,
  ...fence,
  is_ringing: alarm_seconds !== null,
  alarm_seconds: alarm_seconds ?? blank.alarm_seconds,
})
/** The world, where nothing is known of where the devices are. */
const nowhere: Target = { center: { longitude: 106, latitude: 20 }, zoom: 4 }

/** The circle is drawn on the map and typed: whichever changes, the other follows. */
export default function FenceForm({ of, onClose }: { of?: ElectronicFence; onClose: () => void }) {
  const { t } = useTranslation(['electronic-fence', 'common'])
  const [form] = Form.useForm<Values>()
  const insert = useWrite(api.electronicFence.insert)
  const update = useWrite(api.electronicFence.update, { done: t('saved') })
  const write = of ? update : insert
  const may_ring = useMay('deviceDetailInfo:find')
  const may_lock = useMay('deviceDetailInfo:lock')
  const initial = of ? valuesOf(of) : blank
  // Before its fields are there a form has no values.
  const values: Values = { ...initial, ...(Form.useWatch((all: Values) => all, form) as Values | undefined) }
  const { is_ringing, is_locking, accuracy } = values
  return (
    <FormDrawer<Values>
      width={980}
      form={form}
      title={of ? t('edit_of', { name: of.name }) : t('add')}
      submit={of ? t('save') : t('add')}
      initial={initial}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={async (values) => {
        const draft = draftOf(values)
        if (of) return update.mutateAsync({ ...draft, kid: of.kid })
        await insert.mutateAsync(draft)
        return notify.ok(t('made', { name: values.name }))
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <div className="fence-form">
        <div>
          <Field name="name" label={t('form.name')} schema={schema}>
            <Input autoFocus autoComplete="off" />
          </Field>
          <SwitchField name="is_on" label={t('form.is_on')} extra={t('form.is_on_hint')} />
          <div className="fence-numbers">
            <Field name="longitude" label={t('form.longitude')} schema={schema}>
              <InputNumber min={-180} max={180} step={0.001} controls={false} />
            </Field>
            <Field name="latitude" label={t('form.latitude')} schema={schema}>
              <InputNumber min={-90} max={90} step={0.001} controls={false} />
            </Field>
            <Field name="radius" label={t('form.radius')} schema={schema}>
              <InputNumber {...fenceLimits.radius} precision={0} step={50} />
            </Field>
            <Field name="duration" label={t('form.duration')} schema={schema}>
              <InputNumber {...fenceLimits.duration} precision={0} step={10} />
            </Field>
          </div>
          <p className="dim fence-hint">{t('form.duration_hint')}</p>
          <Field name="accuracy" label={t('column.accuracy')} extra={t(`accuracy_hint.${accuracyOf(accuracy)}`)}>
            <Select
              options={fenceAccuracyKeys.map((name) => ({
                value: fenceAccuracyCodes[name],
                label: t(`accuracy.${name}`),
              }))}
            />
          </Field>
          <fieldset className="fence-actions">
            <legend>{t('form.actions')}</legend>
            <Field name="is_ringing" label={t('form.alarm')} valuePropName="checked">
              <Switch disabled={!may_ring} />
            </Field>
            {is_ringing && (
              <Field name="alarm_seconds" label={t('form.alarm_seconds')} schema={schema}>
                <InputNumber {...fenceLimits.alarm} precision={0} />
              </Field>
            )}
            <Field name="is_locking" label={t('form.lock')} valuePropName="checked">
              <Switch disabled={!may_lock} />
            </Field>
            {is_locking && <Password is_kept={of?.has_password === true} />}
          </fieldset>
        </div>
        <CircleEditor of={of} values={values} onChange={(circle) => form.setFieldsValue(circle)} />
      </div>
    </FormDrawer>
  )
}

function draftOf({ is_ringing, alarm_seconds, password, longitude, latitude, ...values }: Values) {
  const { name, is_on, radius, duration, accuracy, is_locking } = values
  return {
    name,
    is_on,
    longitude: longitude!,
    latitude: latitude!,
    radius,
    duration,
    accuracy,
    is_locking,
    alarm_seconds: is_ringing ? alarm_seconds : null,
    ...(is_locking && password ? { password } : {}),
  }
}

function Password({ is_kept }: { is_kept: boolean }) {
  const { t } = useTranslation(['electronic-fence', 'common'])
  const min = constants.screen_lock_min
  const pattern = new RegExp(`^\\d{${min},64}$`)
  return (
    <Field
      name="password"
      label={t('form.password')}
      extra={is_kept ? t('form.password_keep') : undefined}
      rules={[
        {
          required: !is_kept,
          validator: (_rule, value: string | undefined) =>
            (is_kept && !value) || pattern.test(value ?? '')
              ? Promise.resolve()
              : Promise.reject(new Error(t('form.password_rule', { min }))),
        },
      ]}
    >
      <Input.Password inputMode="numeric" maxLength={64} autoComplete="new-password" />
    </Field>
  )
}

type EditorProps = {
  of: ElectronicFence | undefined
  values: Values
  onChange: (circle: { longitude: number; latitude: number; radius: number }) => void
}
/** What the map looks at changes when a place is found or typed far away, never while somebody drags. */
function CircleEditor({ of, values, onChange }: EditorProps) {
  const { t } = useTranslation('electronic-fence')
  const extent = useCall(api.terminalLocation.extent, {}, { enabled: !of })
  const [aimed, aim] = useState<Target>()
  const first = useMemo<Target | undefined>(() => {
    if (of) return { bounds: boundsAround({ center: of, radius: of.radius }) }
    if (extent.isPending) return undefined
    return extent.data?.bounds ? { bounds: extent.data.bounds } : nowhere
  }, [of, extent.isPending, extent.data])
  const { longitude, latitude, radius } = values
  const is_placed = typeof longitude === 'number' && typeof latitude === 'number'
  const center = is_placed ? { longitude, latitude } : undefined
  const { min, max } = fenceLimits.radius
  const is_circle = center && typeof radius === 'number' && radius >= min && radius <= max
  const place = (at: Place) =>
    onChange({
      longitude: Number(at.longitude.toFixed(5)),
      latitude: Number(at.latitude.toFixed(5)),
      radius: typeof radius === 'number' ? radius : blank.radius,
    })
  return (
    <section className="fence-map" aria-label={t('form.circle')}>
      <PlaceSearch
        onFind={(at) => {
          place(at)
          aim({ bounds: boundsAround({ center: at, radius: typeof radius === 'number' ? radius : blank.radius }) })
        }}
      />
      <MapView
        label={t('form.map')}
        target={aimed ?? first}
        marks={none}
        onPlace={center ? undefined : place}
        circle={
          is_circle
            ? {
                center,
                radius,
                min_radius: min,
                max_radius: max,
                labels: { center: t('form.center'), edge: (now) => t('form.edge', { radius: now }) },
                onChange: ({ center: at, radius: next }) => onChange({ ...at, radius: next }),
              }
            : undefined
        }
      />
      <p className="dim">{t('form.map_hint')}</p>
    </section>
  )
}
const none = [] as const
