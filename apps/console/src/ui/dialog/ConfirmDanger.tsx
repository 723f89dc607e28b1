import { Button, Input } from 'antd'
import type { InputRef } from 'antd'
import { useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './Dialog.tsx'
import type { CallFailed } from '../../core/call-failed.ts'
import { useSession } from '../../core/session.tsx'
import { Failure } from '../Failure.tsx'

type Props = {
  /** A question that says how many and which: 'Cancel 12 devices?' */
  title: string
  /** What will happen, and a list of what is hit. */
  children?: ReactNode
  /** Names what it does: 'Cancel 12 devices'. */
  submit: string
  loading: boolean
  submitError: CallFailed | null
  onConfirm: () => unknown
  onClose: () => void
  /** Has to be typed first (specification, section 5: DELETE). */
  word?: 'DELETE'
  /** Name of the button that does nothing. Needed where the act itself is called cancelling: 'Keep devices'. */
  dismiss?: string
}

/** Mount it only while open. Says in which account it happens; shows the failure of the call inside. */
export function ConfirmDanger(props: Props) {
  const { t } = useTranslation('common')
  const { account_name } = useSession()
  const [typed, setTyped] = useState('')
  const is_ready = !props.word || typed === props.word
  const word_id = useId()
  const input = useRef<InputRef>(null)
  const confirm = () => {
    if (!is_ready) input.current?.focus()
    else if (!props.loading) Promise.resolve(props.onConfirm()).catch(() => undefined)
  }
  return (
    <Dialog
      className="confirm-danger"
      title={props.title}
      onCancel={props.onClose}
      focusable={{ focusTriggerAfterClose: true }}
      footer={[
        <Button key="cancel" onClick={props.onClose}>
          {props.dismiss ?? t('cancel')}
        </Button>,
        <Button
          key="go"
          danger
          type="primary"
          loading={props.loading}
          aria-disabled={props.loading || !is_ready}
          aria-describedby={is_ready ? undefined : word_id}
          onClick={confirm}
        >
          {props.submit}
        </Button>,
      ]}
    >
      <p className="dim">{t('in_account', { account: account_name })}</p>
      {props.children}
      {props.word && (
        <label className="type-word">
          <span id={word_id}>{t('type_word', { word: props.word })}</span>
          <Input
            ref={input}
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={(e) => setTyped(e.target.value)}
            onPressEnter={confirm}
          />
        </label>
      )}
      {props.submitError && <Failure error={props.submitError} is_line />}
    </Dialog>
  )
}
