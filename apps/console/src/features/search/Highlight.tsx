import { partsOf } from './parts.ts'

/** A text in which what was searched for is marked. */
export function Highlight({ text, wanted }: { text: string; wanted: string | undefined }) {
  return partsOf(text, wanted ?? '').map(({ part, is_match }, at) =>
    is_match ? (
      <mark key={at} className="search-match">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}
