import { AimOutlined } from '@ant-design/icons'
import { Button, Form, Input, InputNumber, Segmented, Select, Switch } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  aroundPolygon,
  constants,
  fenceAccuracyCodes,
  fenceAccuracyKeys,
  fenceLimits,
  fenceShapes,
  polygonLimits,
} from '@mdm/contract'
import type { ElectronicFence } from '@mdm/contract'
import { api, send, useCall, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { useMay } from '../../core/session.tsx'
import type { Place } from '../../map/coordinates.ts'
import { MapView } from '../../map/MapView.tsx'
import type { Target, View } from '../../map/MapView.tsx'
import { rounded } from '../../map/handles.ts'
import { boundsAround } from '../../map/use-circle.ts'
import { useFleetMarks } from '../../shared/device/fleet-marks.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'
import { accuracyOf } from './columns.tsx'
import { FenceFleet } from './FenceFleet.tsx'
import { usePlaceChoice } from './place-choice.tsx'
import { PlaceSearch } from './PlaceSearch.tsx'

type Values = {
  name: string
  is_on: boolean
  shape: 1 | 2
  points: Place[]
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
  shape: fenceShapes.circle,
  points: [],
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
const valuesOf = ({ alarm_seconds, points, ...fence }: ElectronicFence): Values => ({
  ...blank,
  ...fence,
  points: points ?? [],
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
  const { is_ringing, is_locking, accuracy, shape } = values
  const is_polygon = shape === fenceShapes.polygon
  const where = usePlaceChoice({ may_be_nowhere: true })
  const place = useWrite(api.electronicFence.save_places, { also: ['terminal'] })
  // Made by an earlier try whose places were refused: it is not made twice.
  const made = useRef<string>(undefined)
  return (
    <FormDrawer<Values>
      width={980}
      form={form}
      title={of ? t('edit_of', { name: of.name }) : t('add')}
      submit={of ? t('save') : t('add')}
      initial={initial}
      loading={write.isPending || place.isPending}
      submitError={write.error ?? place.error}
      onSubmit={async (values) => {
        const draft = draftOf(values)
        if (of) return update.mutateAsync({ ...draft, kid: of.kid })
        if (where.is_incomplete) throw new Error('no place')
        if (made.current) await send(api.electronicFence.update, { ...draft, kid: made.current })
        else made.current = (await insert.mutateAsync(draft)).kid
        const { places } = where
        if (places.length > 0) await place.mutateAsync({ fence_kid: made.current, places })
        return notify.ok(t(places.length > 0 ? 'made_and_set' : 'made', { name: values.name }))
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
          <Field name="shape" label={t('form.shape')}>
            <Segmented
              options={[
                { value: fenceShapes.circle, label: t('form.circle') },
                { value: fenceShapes.polygon, label: t('form.polygon') },
              ]}
            />
          </Field>
          {is_polygon && (
            <Field name="points" label={t('form.corners')} schema={schema}>
              <Corners />
            </Field>
          )}
          <div className="fence-numbers">
            {!is_polygon && (
              <>
                <Field name="longitude" label={t('form.longitude')} schema={schema}>
                  <InputNumber min={-180} max={180} step={0.001} controls={false} />
                </Field>
                <Field name="latitude" label={t('form.latitude')} schema={schema}>
                  <InputNumber min={-90} max={90} step={0.001} controls={false} />
                </Field>
                <Field name="radius" label={t('form.radius')} schema={schema}>
                  <InputNumber {...fenceLimits.radius} precision={0} step={50} />
                </Field>
              </>
            )}
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
          {!of && (
            <fieldset className="fence-actions">
              <legend>{t('form.where')}</legend>
              {where.fields}
              {where.is_incomplete && <p className="dim">{t('set.why_not')}</p>}
            </fieldset>
          )}
        </div>
        <AreaEditor
          of={of}
          values={values}
          onChange={(area) => form.setFieldsValue(area)}
          onCorner={(at) => {
            // Clicks are faster than React: each goes on from the one before, rendered or not.
            const points = (form.getFieldValue('points') as Place[] | undefined) ?? []
            if (points.length < polygonLimits.max) form.setFieldValue('points', [...points, rounded(at)])
          }}
        />
      </div>
    </FormDrawer>
  )
}

function draftOf({ is_ringing, alarm_seconds, password, shape, points, ...values }: Values) {
  const { name, is_on, duration, accuracy, is_locking } = values
  const is_polygon = shape === fenceShapes.polygon
  const around = is_polygon ? aroundPolygon(points) : undefined
  const { longitude, latitude } = around?.center ?? values
  const radius = around
    ? Math.min(Math.max(around.radius, fenceLimits.radius.min), fenceLimits.radius.max)
    : values.radius
  return {
    name,
    is_on,
    shape,
    points: is_polygon ? points : null,
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
  onChange: (area: { longitude: number; latitude: number; radius: number } | { points: Place[] }) => void
  onCorner: (at: Place) => void
}
/** What the map looks at changes when a place is found or typed far away, never while somebody drags. */
function AreaEditor({ of, values, onChange, onCorner: addCorner }: EditorProps) {
  const { t } = useTranslation('electronic-fence')
  const extent = useCall(api.terminalLocation.extent, {}, { enabled: !of })
  const [view, setView] = useState<View | null>(null)
  const fleet = useCall(
    api.terminalLocation.list,
    { bounds: view?.bounds ?? anywhere, zoom: view?.zoom ?? 0 },
    { enabled: view !== null, keepPrevious: true },
  )
  const marks = useFleetMarks(fleet.data)
  const [aimed, aim] = useState<Target>()
  const first = useMemo<Target | undefined>(() => {
    if (of) return { bounds: boundsAround({ center: of, radius: of.radius }) }
    if (extent.isPending) return undefined
    return extent.data?.bounds ? { bounds: extent.data.bounds } : nowhere
  }, [of, extent.isPending, extent.data])
  const { longitude, latitude, radius, points, shape } = values
  const is_polygon = shape === fenceShapes.polygon
  const is_placed = typeof longitude === 'number' && typeof latitude === 'number'
  const center = is_placed ? { longitude, latitude } : undefined
  const { min, max } = fenceLimits.radius
  const is_circle = !is_polygon && center && typeof radius === 'number' && radius >= min && radius <= max
  const place = (at: Place) =>
    onChange({
      longitude: Number(at.longitude.toFixed(5)),
      latitude: Number(at.latitude.toFixed(5)),
      radius: typeof radius === 'number' ? radius : blank.radius,
    })
  const lookAt = (around: { center: Place; radius: number }) => aim({ bounds: boundsAround(around) })
  const placeAndLook = (at: Place) => {
    const around = { center: at, radius: typeof radius === 'number' ? radius : blank.radius }
    if (!is_polygon) place(at)
    lookAt(around)
  }
  const fit = () => {
    if (is_polygon && points.length > 0) return lookAt(aroundPolygon(points))
    if (is_circle) lookAt({ center, radius })
  }
  return (
    <section className="fence-map" aria-label={t('form.area')}>
      <PlaceSearch onFind={placeAndLook} />
      <FenceFleet onFind={placeAndLook} />
      <MapView
        label={t('form.map')}
        target={aimed ?? first}
        marks={marks}
        onMark={(mark) => (is_polygon ? addCorner(mark.at) : center ? undefined : place(mark.at))}
        onView={setView}
        onPlace={is_polygon ? addCorner : center ? undefined : place}
        polygon={
          is_polygon
            ? {
                points,
                labels: { corner: (number) => t('form.corner', { number }) },
                onChange: (next) => onChange({ points: next }),
              }
            : undefined
        }
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
      >
        <Button
          size="small"
          icon={<AimOutlined aria-hidden />}
          disabled={is_polygon ? points.length === 0 : !is_circle}
          onClick={fit}
        >
          {t('form.fit')}
        </Button>
        {is_polygon && (
          <Button size="small" disabled={!view} onClick={() => view && addCorner(view.center)}>
            {t('form.corner_here')}
          </Button>
        )}
      </MapView>
      <p className="dim">{t(is_polygon ? 'form.polygon_hint' : 'form.map_hint')}</p>
    </section>
  )
}
const anywhere = { west: -180, south: -90, east: 180, north: 90 }

type CornersProps = { value?: Place[]; onChange?: (points: Place[]) => void }
/** The control of a field: how many corners there are; they are set on the map. */
function Corners({ value = [], onChange }: CornersProps) {
  const { t } = useTranslation('electronic-fence')
  return (
    <span className="fence-corners">
      <span>{t('form.corner_count', { count: value.length })}</span>
      <Button size="small" disabled={value.length === 0} onClick={() => onChange?.(value.slice(0, -1))}>
        {t('form.corner_undo')}
      </Button>
      <Button size="small" disabled={value.length === 0} onClick={() => onChange?.([])}>
        {t('form.corner_clear')}
      </Button>
    </span>
  )
}
