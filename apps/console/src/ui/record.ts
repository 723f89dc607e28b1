import { useEffect } from 'react'
import { create } from 'zustand'
import { usePage } from './place.ts'
import { useSearchParams } from 'react-router'

/** What the records that were opened are called: tag views and the breadcrumb show a device by its name. */
export const useRecordNames = create<{ names: Readonly<Record<string, string>> }>(() => ({ names: {} }))

/** The record that an address of a page is of, or undefined where the page is not of one. */
export const recordOf = (page: { record: string | null } | undefined, search: string): string | undefined =>
  (page?.record && new URLSearchParams(search).get(page.record)) || undefined

/** Names the record of the open screen. Undefined as long as it is not known. */
export function useRecordName(name: string | undefined): void {
  const page = usePage()
  const [search] = useSearchParams()
  const record = recordOf(page, search.toString())
  useEffect(() => {
    if (!record || !name || useRecordNames.getState().names[record] === name) return
    useRecordNames.setState(({ names }) => ({ names: { ...names, [record]: name } }))
  }, [record, name])
}
