import { Modal } from 'antd'
import { useQuestion } from '../screen/question.ts'

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
      okButtonProps={{ danger: open.is_danger, autoFocus: true }}
      onOk={() => open.answer(true)}
      onCancel={() => open.answer(false)}
    >
      {open.text && <p>{open.text}</p>}
    </Modal>
  )
}
