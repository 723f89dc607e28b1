import { Form, Input, Select } from 'antd'
import type { FormInstance } from 'antd'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pushTitles } from '@mdm/contract'
import type { PushableType, PushTemplate } from '@mdm/contract'
import { ablesOf } from '../../../shared/devices-picker/chosen.ts'
import { useInability } from '../../../shared/device/inability.ts'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { valuesOf } from './draft.ts'
import type { Draft } from './draft.ts'
import { kindOf } from './kinds.tsx'
import { Line } from './parts.tsx'

const description_max = 200

type Props = {
  draft: Draft
  form: FormInstance
  kinds: readonly PushableType[]
  onChange: (change: Partial<Draft>) => void
  onTemplate: (template: PushTemplate) => void
  onEnter: () => void
}
type KindOption = { value: PushableType; label: string; reason: string | undefined; disabled: boolean }
const kindInList = ({ data: { label, reason } }: { data: KindOption }) => (
  <>
    {label}
    {reason !== undefined && <span className="dim push-reason">{reason}</span>}
  </>
)

/** What is pushed. A kind that none of the devices does, where they were chosen before, says why. */
export function ContentStep({ draft, form, kinds, onChange, onTemplate, onEnter }: Props) {
  const { t } = useTranslation(['push-task/wizard', 'device', 'common'])
  const textOf = useTextOf()
  const id = useId()
  const { type } = draft
  const { Fields } = kindOf(type)
  const inabilityOf = useInability()
  const able = ablesOf(draft.devices)
  return (
    <div className="push-content">
      {kinds.length > 1 && (
        <Line label={t('content.kind')} id={`${id}-kind`} hint={t(`device:kinds.${type}.what`)}>
          <Select<PushableType, KindOption>
            id={`${id}-kind`}
            className="push-narrow"
            autoFocus
            value={type}
            options={kinds.map((value) => {
              const reason = able && inabilityOf(able, value)
              return { value, label: textOf(pushTitles[value]), reason, disabled: reason !== undefined }
            })}
            optionRender={kindInList}
            onChange={(value) => onChange({ type: value })}
          />
        </Line>
      )}
      <FromTemplate kinds={kinds} onTemplate={onTemplate} />
      {Fields && (
        <Form
          // Each kind has a form of its own.
          key={type}
          form={form}
          layout="vertical"
          requiredMark={markRequired}
          initialValues={valuesOf(draft)}
          onValuesChange={(_, values: object) => onChange({ values: { ...draft.values, [type]: values } })}
          onFinish={onEnter}
        >
          <Fields />
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </Form>
      )}
      <Line label={t('content.description')} id={`${id}-description`} hint={t('content.description_hint')}>
        <Input
          id={`${id}-description`}
          className="push-narrow"
          maxLength={description_max}
          autoComplete="off"
          value={draft.description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
      </Line>
    </div>
  )
}

type TemplateProps = { kinds: readonly PushableType[]; onTemplate: (template: PushTemplate) => void }
/** What was pushed before and is kept under a name. Nothing while there are none. */
function FromTemplate({ kinds, onTemplate }: TemplateProps) {
  const { t } = useTranslation('push-task/wizard')
  const textOf = useTextOf()
  const id = useId()
  const may_read = useMay('pushTaskList')
  const query = useCall(api.pushTemplate.list, {}, { enabled: may_read })
  const templates = (query.data ?? []).filter(({ type }) => kinds.includes(type))
  if (templates.length === 0) return null
  return (
    <Line label={t('content.template')} id={id}>
      <Select<string>
        id={id}
        className="push-narrow"
        placeholder={t('content.template_choose')}
        value={null as unknown as string}
        showSearch={{ optionFilterProp: 'label' }}
        options={templates.map(({ kid, name, type }) => ({
          value: kid,
          label: `${name} (${textOf(pushTitles[type])})`,
        }))}
        onChange={(kid) => {
          const template = templates.find((each) => each.kid === kid)
          if (template) onTemplate(template)
        }}
      />
    </Line>
  )
}

/** As in the kit's forms. */
const markRequired = (label: ReactNode, { required }: { required: boolean }) => (
  <>
    {label}
    {required && <span className="required" aria-hidden />}
  </>
)
