import { Modal } from 'antd'
import { useQuestion } from '../ui/dialog/question.ts'

/** The one place where a yes-or-no question is shown. */
export function QuestionDialog() {
  const open = useQuestion((s) => s.open)
  if (!open) return null
  return (
    <Modal
      open
      zIndex={1500}
      width={420}
      title={open.title}
      okText={open.yes}
      cancelText={open.no}
      // Enter gives the harmless answer. A cross would be the first to get the focus, and says the same as the no.
      closable={false}
      okButtonProps={{ danger: open.is_danger, autoFocus: !open.is_danger }}
      cancelButtonProps={{ autoFocus: open.is_danger }}
      onOk={() => open.answer(true)}
      onCancel={() => open.answer(false)}
    >
      {open.text && <p>{open.text}</p>}
    </Modal>
  )
}
