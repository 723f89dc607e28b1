import { constants } from '@mdm/contract'
import { useEffect, useState } from 'react'
import type { AnyCall, ReadResult } from '../../core/api.ts'

/** Longer texts no call takes. */
const longest = 100
const asked = (typed: string): string => typed.trim().slice(0, longest)

export type Typed = ReturnType<typeof useTyped>
/** A text that is typed, and what of it is asked for once the hands rest. */
export function useTyped() {
  const [typed, setTyped] = useState('')
  const [text, setText] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setText(asked(typed)), constants.debounce_ms)
    return () => clearTimeout(timer)
  }, [typed])
  return { typed, setTyped, text: text || undefined }
}

type Option = { value: string; label: string }
type Query = Pick<ReadResult<AnyCall>, 'isFetching' | 'isPlaceholderData'>
/**
 * Props of a Select whose options are found by a call. What was found for another text cannot be chosen: Enter, pressed before
 * the answer, would take the first of it. `chosen` is offered although it may not be found, but not among what is searched
 * for: Enter would take it too.
 */
export function searchSelect(
  { typed, setTyped, text = '' }: Typed,
  query: Query,
  found: readonly Option[],
  chosen: readonly Option[] = [],
) {
  const is_searching = asked(typed) !== '' || text !== ''
  const is_old = is_searching && (asked(typed) !== text || query.isPlaceholderData)
  const more = chosen.filter(({ value }) => !found.some((option) => option.value === value))
  return {
    showSearch: { filterOption: false, onSearch: setTyped },
    loading: query.isFetching || is_old,
    options: is_old ? [] : is_searching ? [...found] : [...more, ...found],
  }
}
