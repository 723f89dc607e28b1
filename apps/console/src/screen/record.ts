import { useEffect } from 'react'
import { create } from 'zustand'
import { useScreen } from './place.ts'
import { useSearchParams } from 'react-router'

/** What the records that were opened are called: tag views and the breadcrumb show a device by its name. */
export const useRecordNames = create<{ names: Readonly<Record<string, string>> }>(() => ({ names: {} }))

/** The record that an address of a screen is of, or undefined where screens are not of one. */
export const recordOf = (screen: { record?: string | undefined } | undefined, search: string): string | undefined =>
  (screen?.record && new URLSearchParams(search).get(screen.record)) || undefined

/** Names the record of the open screen. Undefined as long as it is not known. */
export function useRecordName(name: string | undefined): void {
  const screen = useScreen()
  const [search] = useSearchParams()
  const record = recordOf(screen, search.toString())
  useEffect(() => {
    if (!record || !name || useRecordNames.getState().names[record] === name) return
    useRecordNames.setState(({ names }) => ({ names: { ...names, [record]: name } }))
  }, [record, name])
}
