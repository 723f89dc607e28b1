import { SendOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Form, Skeleton } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { errors, named_max, pushKindOf } from '@mdm/contract'
import type { PlannedPush, PushableType, PushPreview, PushTaskRow, Sent } from '@mdm/contract'
import { api, send, useWrite } from '../../../core/api.ts'

import { CallFailed } from '../../../core/call-failed.ts'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { useSession } from '../../../core/session.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts'
import { Wizard } from '../../../ui/form/Wizard.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { scheduleTargetsOf } from '../../../shared/devices-picker/chosen.ts'
import { announcePush } from '../../../shared/push/announce.ts'
import { ContentStep } from './ContentStep.tsx'
import { DevicesStep } from './DevicesStep.tsx'
import { conditionsOf, faultsOf, getsAll, isCurrent, previewInputOf, rolloutOf, fromTemplate, workOf } from './draft.ts'
import type { Checked, Draft } from './draft.ts'
import { rememberPath } from './FileFields.tsx'
import { kindOf, usePermittedKinds } from './kinds.tsx'
import { cronOf } from './recurrence.ts'
import { Outcome, Review } from './ReviewStep.tsx'
import { pollPreview, previewedDevices } from './preview-devices.ts'
import { useInitialDraft } from './use-initial-draft.ts'
import type { Initial } from './use-initial-draft.ts'
import { WhenStep } from './WhenStep.tsx'
import './wizard.css'

type Props = {
  title: string
  /** The only kinds; without them the person chooses one of all. */
  only?: readonly PushableType[]
  /** What is known already. */
  initial?: Initial
  /** What to push was chosen where the wizard was opened: it begins with the devices. */
  is_content_chosen?: boolean
  onCancel: () => void
}

/** A push from its content to its review. Needs the catalogues of `pushTaskAdd`. */
export function PushWizard({ only, initial = {}, ...rest }: Props) {
  const { t } = useTranslation('push-task/wizard')
  const permitted = usePermittedKinds()
  const kinds = only ? permitted.filter((type) => only.includes(type)) : permitted
  const { draft, planned, is_pending, error, notes } = useInitialDraft(initial, kinds)
  if (kinds.length > 0 && !is_pending && !draft) return <NotChanged {...rest} error={error} notes={notes} />
  if (kinds.length === 0 || is_pending || !draft) {
    return (
      <section className="form-page">
        <PageHead title={rest.title} icon={<SendOutlined aria-hidden />} />
        {kinds.length === 0 ? (
          <Empty title={t('no_kind')} hint={t('no_kind_hint')} />
        ) : (
          <Skeleton active paragraph={{ rows: 6 }} />
        )}
      </section>
    )
  }
  return (
    <>
      {error && <Failure error={error} is_line />}
      {notes.map((note) => (
        <Failure key={note} error={new Error(t(`notes.${note}`))} is_line />
      ))}
      <Steps initial={draft} planned={planned} kinds={planned ? [draft.type] : kinds} {...rest} />
    </>
  )
}

type NotChangedProps = Pick<Props, 'title' | 'onCancel'> & Pick<ReturnType<typeof useInitialDraft>, 'error' | 'notes'>
/** Why a push cannot be changed, where its form would be. */
function NotChanged({ title, onCancel, error, notes }: NotChangedProps) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  return (
    <section className="form-page">
      <PageHead title={title} icon={<SendOutlined aria-hidden />} />
      <Failure error={error ?? new Error(notes.map((note) => t(`notes.${note}`)).join(' '))} />
      <p>
        <Button onClick={onCancel}>{t('edit.back')}</Button>
      </p>
    </section>
  )
}

type StepsProps = {
  title: string
  initial: Draft
  is_content_chosen?: boolean
  /** The push that is changed. */
  planned: PlannedPush | undefined
  kinds: readonly PushableType[]
  onCancel: () => void
}
function Steps({ title, initial, is_content_chosen = false, planned, kinds, onCancel }: StepsProps) {
  const { t } = useTranslation(['push-task/wizard', 'device', 'common'])
  const navigate = useNavigate()
  const { user_kid } = useSession()
  const [wanted, setStep] = useState<StepKey>(is_content_chosen ? 'devices' : 'content')
  const [draft, setDraft] = useState(initial)
  const [checked, setChecked] = useState<Checked | null>(null)
  const [is_tried, setTried] = useState(false)
  const [typed, setTyped] = useState('')
  const [made, setMade] = useState<string | null>(null)
  const [form] = Form.useForm()
  const ask = useUnsavedGuard(made === null && draft !== initial)
  const change = (by: Partial<Draft>) => setDraft((now) => ({ ...now, ...by }))

  const [listed, setListed] = useState<PushPreview['listed']>(null)
  /** How far the look-up of very many devices is stands on their step. */
  const showListed = (progress: PushPreview['listed']) => {
    if (progress) setStep('devices')
    setListed(progress)
  }
  /** The number of the newest preview. */
  const latest = useRef(0)
  const preview = useMutation<PushPreview, CallFailed, Sent<typeof api.pushTask.preview>>({
    mutationFn: async (input) => {
      const this_one = ++latest.current
      const begun = await send(api.pushTask.preview, input)
      return pollPreview(begun, showListed, () => latest.current === this_one)
    },
    onSettled: () => setListed(null),
  })
  // Nobody waits for it any more.
  useEffect(() => () => void (latest.current += 1), [])
  const pushed = {
    also: ['file_cloud', 'app_center', 'config_file'],
    onSuccess: (row: PushTaskRow) => {
      announcePush(row)
      setMade(link.pushTaskDetail.to({ kid: row.kid }))
    },
  }
  const insert = useWrite(api.pushTask.insert, pushed)
  const update = useWrite(api.pushTask.update, pushed)
  const schedule = useWrite(api.pushSchedule.insert, {
    onSuccess: ({ name }) => {
      notify.ok(t('recurring.made', { name }))
      setMade(link.pushTaskList.to({ tab: 'recurring' }))
    },
  })
  // After the guard has heard that nothing is unsaved any more.
  useEffect(() => {
    if (made) void navigate(made, { replace: true })
  }, [made, navigate])

  const { Fields, confirm_word: word } = kindOf(draft.type)
  const current = isCurrent(draft, checked) ? checked : null
  // Devices that were changed while they were looked up have no review.
  const step = wanted === 'review' && !current ? 'devices' : wanted
  const total = current?.total ?? 0
  const recurring_disabled_reason =
    draft.devices.kind === 'sns' && total > named_max ? t('when.too_many_named', { max: named_max }) : undefined
  const is_recurring = draft.start === 'recurring'
  const faults = Object.values(faultsOf(draft, Date.now()))

  /** Finds out who gets it; true when everybody does, so that nobody has to be looked at before the next step. */
  const check = async (of: Draft): Promise<boolean> => {
    const input = previewInputOf(of)
    if (!input) return false
    // What was refused of the list before.
    for (const write of [insert, update]) write.reset()
    const found = await preview.mutateAsync(input)
    setChecked({ ...found, of: JSON.stringify(input) })
    // They were devices of the list before.
    if (checked && of.rollout && of.rollout.picked.length > 0) change({ rollout: { ...of.rollout, picked: [] } })
    return getsAll(found)
  }
  const make = async () => {
    if (!current) return
    const rollout = rolloutOf(draft)
    const push = {
      ...workOf(draft),
      description: draft.description.trim(),
      conditions: conditionsOf(draft),
      ...(rollout && { rollout }),
    }
    if (push.type === 'file') rememberPath(user_kid, push.payload.path)
    if (is_recurring) {
      const rows = draft.devices.kind === 'sns' ? await previewedDevices(current.kid, 'gets') : []
      const named = rows.map(({ kid }) => kid)
      const to = {
        ...scheduleTargetsOf(draft.devices, named),
        ...(draft.offline_days !== null && { offline_days: draft.offline_days }),
      }
      const { name, zone, recurrence } = draft
      await schedule.mutateAsync({ name, cron: cronOf(recurrence), zone, to, push })
      return
    }
    const said = { ...push, preview_kid: current.kid }
    const write = planned
      ? update.mutateAsync({ ...said, push_task_kid: planned.kid, version: planned.version })
      : insert.mutateAsync(said)
    await write.catch((error: unknown) => {
      // Nobody waits for ever: the devices are looked up once more, by the person's own hand.
      if (error instanceof CallFailed && error.result === errors.push_preview_gone.result) setChecked(null)
      throw error
    })
  }

  const steps = [
    {
      key: 'content',
      title: t('step.content'),
      content: (
        <ContentStep
          draft={draft}
          form={form}
          kinds={kinds}
          onChange={change}
          onTemplate={(template) => {
            const kept = fromTemplate(draft, template)
            setDraft(kept)
            form.setFieldsValue(kept.values[template.type] as never)
          }}
          onEnter={() => void next()}
        />
      ),
    },
    {
      key: 'devices',
      title: t('step.devices'),
      content: (
        <DevicesStep
          draft={draft}
          checked={checked}
          listed={listed}
          error={preview.error ?? goneOf(insert.error ?? update.error)}
          onChange={change}
        />
      ),
    },
    {
      key: 'review',
      title: t('step.review'),
      content: current && (
        <div className="push-last-step">
          <Outcome draft={draft} planned={planned} checked={current} />
          <div className="push-columns">
            <WhenStep
              draft={draft}
              checked={current}
              is_tried={is_tried}
              recurring_disabled_reason={recurring_disabled_reason}
              is_one={planned !== undefined}
              onChange={change}
            />
            <Review draft={draft} checked={current} typed={typed} onTyped={setTyped} />
          </div>
        </div>
      ),
    },
  ]
  const disabledReason = (): string | undefined => {
    if (step === 'devices') {
      if (previewInputOf(draft) === undefined) return t(`choose.${draft.devices.kind}`)
      if (current && total === 0) return t('check.nobody')
    }
    if (step === 'review') {
      if (is_recurring && recurring_disabled_reason) return recurring_disabled_reason
      if (is_tried && faults.length > 0) return t('when.wrong')
      if (word && typed !== word) return t('common:type_word', { word })
    }
    return undefined
  }
  const leaveContent = async () => {
    let filled = draft
    if (Fields) {
      const values: object = await form.validateFields().catch((error: unknown) => {
        showWrong(form)
        throw error
      })
      filled = { ...draft, values: { ...draft.values, [draft.type]: values } }
      setDraft(filled)
    }
    // Where they were chosen before, their step has nothing to ask, unless somebody of them is left out.
    const is_passed =
      previewInputOf(initial) !== undefined && (isCurrent(filled, checked) || (await check(filled).catch(() => false)))
    setStep(is_passed ? 'review' : 'devices')
  }
  const next = async () => {
    // Enter in a field is not held back as the button is.
    if (preview.isPending) return
    if (step === 'content') return leaveContent()
    if (step === 'devices') {
      setStep('devices')
      if (current || (await check(draft))) setStep('review')
      return
    }
    setTried(true)
    if (faults.length > 0) return showFault()
    return make()
  }
  const write = is_recurring ? schedule : planned ? update : insert
  return (
    <Wizard
      title={title}
      icon={<SendOutlined aria-hidden />}
      steps={steps}
      at={keys.indexOf(step)}
      onNext={next}
      onBack={() => {
        for (const each of [insert, update, schedule]) each.reset()
        setStep(keys[keys.indexOf(step) - 1]!)
      }}
      onCancel={() => ask(onCancel)}
      submit={
        planned
          ? t('edit.submit', { count: total })
          : is_recurring
            ? t('recurring.submit')
            : t(`device:kinds.${draft.type}.submit`, { count: total })
      }
      is_danger={pushKindOf(draft.type).is_delayed === true}
      disabled_reason={disabledReason()}
      loading={preview.isPending || write.isPending}
      submitError={step === 'review' ? namedField(write.error) : null}
    />
  )
}
/** As every other form: what is wrong is in view and has the focus. */
const showWrong = (form: FormInstance) => {
  const wrong = form.getFieldsError().find(({ errors }) => errors.length > 0)
  if (wrong) form.scrollToField(wrong.name, { focus: true })
}
/** The first of what is wrong, once it is said. */
const showFault = () =>
  setTimeout(() => document.querySelector('.push-fault')?.scrollIntoView({ block: 'center', behavior: 'instant' }))
const keys = ['content', 'devices', 'review'] as const
type StepKey = (typeof keys)[number]

/** No field stands on the last step: the sentence about it says more than that some field is wrong. */
const namedField = (error: CallFailed | null): CallFailed | null => {
  const [first] = Object.values(error?.fields ?? {})
  return error && first !== undefined ? new CallFailed(error.result, first) : error
}
const goneOf = (error: CallFailed | null): CallFailed | null =>
  error?.result === errors.push_preview_gone.result ? error : null
