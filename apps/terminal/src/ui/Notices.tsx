import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useSession, useTexts, useView } from './context.ts'

/** What somebody has to read or to answer, above everything else. The oldest first. */
export function Notices() {
  const { messages, questions, warnings, phase } = useView()
  const t = useTexts()
  const session = useSession()
  if (phase !== 'running') return null
  const [question] = questions
  const unread = messages.findLast(({ is_read }) => !is_read)
  return (
    <>
      {warnings.map(({ id, text }) => (
        <p className="warning" role="alert" key={id}>
          {text}
        </p>
      ))}
      {question ? (
        <Modal key={question.id} label={question.text}>
          <p>{question.text}</p>
          <p className="buttons">
            <button type="button" onClick={() => question.answer('yes')}>
              {t.question.yes}
            </button>
            <button type="button" className="quiet" onClick={() => question.answer('no')}>
              {t.question.no}
            </button>
            {question.may_put_off && (
              <button type="button" className="quiet" onClick={() => question.answer('later')}>
                {t.question.later}
              </button>
            )}
          </p>
        </Modal>
      ) : (
        unread && (
          <Modal key={unread.id} label={unread.title}>
            <h2>{unread.title}</h2>
            <p className="text">{unread.text}</p>
            <p className="buttons">
              <button type="button" onClick={() => session?.acknowledge(unread.id)}>
                {t.messages.read}
              </button>
            </p>
          </Modal>
        )
      )}
    </>
  )
}

function Modal({ label, children }: { label: string; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} aria-label={label} onCancel={(event) => event.preventDefault()}>
      {children}
    </dialog>
  )
}
