import { Button } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  /** Names what it does. */
  submit: string
  /** The form that it sends; otherwise `onSubmit`. */
  form?: string
  onSubmit?: (event: React.MouseEvent) => void
  is_danger?: boolean
  /** A button that loads takes no click, and says so. */
  is_busy?: boolean
  /** Why it is not possible yet, shown beside the buttons. */
  disabled_reason?: string | undefined
  onCancel?: () => void
  /** Another name of the button that leaves. */
  cancel?: string | undefined
  /** A step back, where there is one. */
  previous?: { text: string; onClick: () => void } | undefined
}

/** The buttons of every form, page or drawer: what it does, the way out, the step back. */
export function SubmitBar(props: Props) {
  const { form, onSubmit, is_danger = false, is_busy = false, disabled_reason, onCancel, previous } = props
  const { t } = useTranslation('common')
  const disabled_reason_id = useId()
  return (
    <div className="submit-bar">
      <Button
        type="primary"
        danger={is_danger}
        loading={is_busy}
        aria-disabled={is_busy || disabled_reason !== undefined}
        aria-describedby={disabled_reason === undefined ? undefined : disabled_reason_id}
        {...(form === undefined
          ? { onClick: (event: React.MouseEvent) => disabled_reason === undefined && onSubmit?.(event) }
          : { htmlType: 'submit', form })}
      >
        {props.submit}
      </Button>
      {onCancel && <Button onClick={onCancel}>{props.cancel ?? t('cancel')}</Button>}
      {previous && <Button onClick={previous.onClick}>{previous.text}</Button>}
      {disabled_reason !== undefined && (
        <span className="dim" id={disabled_reason_id}>
          {disabled_reason}
        </span>
      )}
    </div>
  )
}
