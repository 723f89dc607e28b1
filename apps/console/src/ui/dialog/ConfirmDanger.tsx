import { Button, Input } from 'antd'
import type { InputRef } from 'antd'
import { useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './Dialog.tsx'
import { HoldBack, useHeldBack } from './hold-back.ts'
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

/**
 * Mount it only while open. Says in which account it happens; shows the failure of the call inside. Content that says later
 * what the act would do holds it back until then (`Consequences`).
 */
export function ConfirmDanger(props: Props) {
  const { t } = useTranslation('common')
  const { account_name } = useSession()
  const [typed, setTyped] = useState('')
  const { is_held, hold } = useHeldBack()
  const is_typed = !props.word || typed === props.word
  const word_id = useId()
  const held_id = useId()
  const described_by = [!is_typed && word_id, is_held && held_id].filter(Boolean).join(' ')
  const input = useRef<InputRef>(null)
  const confirm = () => {
    if (!is_typed) input.current?.focus()
    else if (!props.loading && !is_held) Promise.resolve(props.onConfirm()).catch(() => undefined)
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
          aria-disabled={props.loading || is_held || !is_typed}
          aria-describedby={described_by || undefined}
          onClick={confirm}
        >
          {props.submit}
        </Button>,
      ]}
    >
      <p className="dim">{t('in_account', { account: account_name })}</p>
      <HoldBack value={hold}>{props.children}</HoldBack>
      {is_held && (
        <span id={held_id} hidden>
          {t('act_held')}
        </span>
      )}
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
