import { Steps } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../Failure.tsx'
import { PageHead } from '../PageHead.tsx'
import { takePageFocus } from '../dialog/take-focus.ts'
import { useFormPlace } from './form-places.ts'
import { SubmitBar } from './SubmitBar.tsx'
import { FormWaits } from './waits.ts'

type Step = { key: string; title: string; content: ReactNode }
type Props = {
  title: string
  icon?: ReactNode
  /** Actions beside the title, for every step. */
  actions?: ReactNode
  steps: readonly Step[]
  at: number
  /** Asked to leave the step forwards; the page validates and moves `at` itself. On the last step it submits. */
  onNext: () => unknown
  onBack: () => void
  onCancel: () => void
  /** Name of the last step's button: 'Push to 12 devices'. */
  submit: string
  /** Another name of the button that leaves. */
  cancel?: string | undefined
  /** Name of this step's button where it does not lead to the next one yet. */
  next?: string | undefined
  /** What the last step's button does cannot be taken back. */
  is_danger?: boolean
  /** Why the step cannot be left yet, shown beside the button. */
  disabled_reason?: string | undefined
  loading: boolean
  submitError: CallFailed | null
}

export function Wizard(props: Props) {
  const { t } = useTranslation('common')
  const [waits, setWaits] = useState(0)
  useFormPlace()
  const next = (event: React.MouseEvent) => {
    // The second click of a double click was meant for the step before.
    if (event.detail < 2) Promise.resolve(props.onNext()).catch(() => undefined)
  }
  const is_last = props.at === props.steps.length - 1
  const page = useRef<HTMLElement>(null)
  useEffect(() => takePageFocus(() => page.current), [])
  return (
    <section className="form-page" ref={page}>
      <PageHead title={props.title} icon={props.icon}>
        {props.actions}
      </PageHead>
      <Steps size="small" current={props.at} items={props.steps.map(({ key, title }) => ({ key, title }))} />
      <div className="form-body is-wide">
        {props.submitError && <Failure error={props.submitError} is_line />}
        <FormWaits value={setWaits}>{props.steps[props.at]?.content}</FormWaits>
      </div>
      <footer>
        <SubmitBar
          submit={is_last ? props.submit : (props.next ?? t('next'))}
          onSubmit={next}
          is_danger={is_last && props.is_danger === true}
          is_busy={props.loading || waits > 0}
          disabled_reason={props.disabled_reason}
          onCancel={props.onCancel}
          cancel={props.cancel}
          previous={props.at > 0 ? { text: t('back'), onClick: props.onBack } : undefined}
        />
      </footer>
    </section>
  )
}
