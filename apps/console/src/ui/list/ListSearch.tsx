import { SearchOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { constants } from '@mdm/contract'

type Props = {
  /** The text as the address has it, and how to change it there. */
  text: string
  onText: (text: string) => void
  label: string
}

/** The search field of a list or tree, whose text lives in the address, so that a link shows the same rows. */
export function ListSearch({ text, onText, label }: Props) {
  const [typed, setTyped] = useState(text)
  const sent = useRef(text)
  const send = useRef(onText)
  useEffect(() => {
    send.current = onText
  })

  // The address may change by itself (back, a saved view); what is being typed wins over its own echo.
  useEffect(() => {
    if (text !== sent.current) {
      sent.current = text
      setTyped(text)
    }
  }, [text])

  useEffect(() => {
    if (typed.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed.trim()
      send.current(typed.trim())
    }, constants.debounce_ms)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <Input
      className="list-search"
      type="search"
      allowClear
      maxLength={100}
      prefix={<SearchOutlined aria-hidden />}
      placeholder={label}
      aria-label={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
